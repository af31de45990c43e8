// Skills from a candidate and its parent. Pure and deterministic.
#pragma once

#include "actors/knowledge/skill.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Returns the step between two sources in a few lines: what stands between their common beginning and their common
// end, whole lines. Nothing: they are equal, or too much differs to be one step.
std::optional<skill_step> text_step(const std::string& summary, const std::string& before, const std::string& after);

// Returns the conditions that the signals of a campaign and its step state ("family:matmul"), with the pattern.
skill_conditions conditions_of(const std::vector<std::string>& signals, std::string pattern);

// Returns the stage of the programs that the pattern describes, "scalar" or "vectors", by its first word; empty: any.
std::string stage_of(const skill_conditions& c);

// Returns the signals by which a contradiction narrows conditions: families, types, hardware and bottleneck.
std::vector<std::string> narrowing_signals(const std::vector<std::string>& signals);
// Returns the values of one kind of signal, in order.
std::vector<std::string> values_of(const std::vector<std::string>& signals, const std::string& kind);

// Returns a hypothesis with the gain that it was distilled from as its origin.
skill distilled_skill(skill_conditions conditions, skill_step step, skill_provenance from, skill_application origin);

// Returns the same skill with the applications of another record of it that it lacks.
skill merged(skill known, const skill& other);

// Returns a skill of another node as this one takes it: a hypothesis, whose applications count as its origin and decide
// nothing here. Together they weigh as much as the prior does, however many or exact they claim to be.
skill as_imported(skill s, int64_t now_ns);

// Returns the name under which a step is offered a skill, and which its candidate's summary repeats: "skill 1a2b3c4d".
std::string offered_name(const id128& id);

// Returns the first of the given skills whose name the summary of a candidate repeats; nothing: none was applied.
std::optional<id128> applied_skill(const std::vector<offered_skill>& given, const std::string& summary);

} // namespace kevolve
