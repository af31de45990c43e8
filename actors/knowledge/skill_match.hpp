// Chooses the skills that a step is given: those whose conditions its signals do not contradict, by what they promise.
// Pure and deterministic.
#pragma once

#include "actors/knowledge/skill_index.hpp"
#include "actors/knowledge/skill_messages.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace kevolve {

// The moment and the campaign for which skills are sought.
struct skill_moment {
  int64_t now_ns = 0; // wall clock
  id128 campaign;     // skills that it found itself are left out: its candidates hold them already
};

// Returns how well the skill fits, from 0 (not at all) to 1. Target and language must agree, and no signal may stand in
// `not_for`. A signal "stage:scalar" or "stage:vectors" leaves out patterns of the other stage. Another family, type or
// bottleneck lowers the figure: the pattern decides about the place.
double relevance_of(const skill& s, const std::vector<std::string>& signals);

// Returns the state in which the skill counts here: a hypothesis if its features are of another version, or it was
// measured on none of these classes of hardware.
skill_state state_here(const skill& s, const std::vector<std::string>& signals);

// Returns at most `most` skills: the confirmed ones by weight, and up to two hypotheses (four where nothing is
// confirmed). The seed chooses these among the most promising, so that each gets its trial.
std::vector<offered_skill> find_skills(const skill_index& all, const skill_situation& wanted, const skill_moment& when);

// Returns the skills that a query admits with their figures, the greatest weight first.
std::vector<weighed_skill> list_skills(const skill_list& all, const skill_query& wanted, int64_t now_ns);

} // namespace kevolve
