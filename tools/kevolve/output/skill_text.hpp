// Skills as the verbs show them, from the node's JSON.
#pragma once

#include "runtime/node/admin/json.hpp"

#include <string>

namespace kevolve {

// Returns a table, a line a skill. Where skills have the same step and families, a column names the conditions in which
// they differ.
std::string skills_table(const json& list);
// Describes the skill: conditions, step, state, and the gain to expect.
std::string skill_text(const json& skill);
// Explains why it is believed or not: conditions, every application, how the weight follows from them, provenance,
// history.
std::string skill_reasons_text(const json& skill);
// Returns a line for each skill that a candidate's step was given, and whether it applied it.
std::string given_skills_text(const json& candidate);
// Tells how many skills of a document were taken, and why others were refused.
std::string skill_import_text(const json& done);

} // namespace kevolve
