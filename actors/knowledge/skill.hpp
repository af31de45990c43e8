// A skill: a step that made a candidate faster, with the conditions under which it did, and every measured application.
// Stored in the table `skills` under its id; a new field goes at the end. docs/knowledge.md says how a skill lives.
#pragma once

#include "actors/knowledge/skill_parts.hpp"
#include "runtime/base/enum_text.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Rises when conditions are stated by other features. A skill of another version is taken as a hypothesis.
inline constexpr uint32_t skill_features_version = 1;

enum class skill_state : uint8_t {
  hypothesis = 0, // not measured yet on another candidate than the one that it comes from
  confirmed,      // measured elsewhere, and faster
  conflicting,    // faster in some places and slower in others: its conditions are narrowed
  rejected,       // measured elsewhere, and not faster
  revoked,        // withdrawn by a person
};
inline constexpr std::array<std::string_view, 5> skill_state_texts{"hypothesis", "confirmed", "conflicting", "rejected",
                                                                   "revoked"};
constexpr const auto& enum_texts(skill_state) {
  return skill_state_texts;
}

// A change of a skill's state. The list of them is the skill's history.
struct skill_change {
  uint32_t version = 0; // of the skill, from then on
  int64_t time_ns = 0;  // wall clock
  skill_state state = skill_state::hypothesis;
  std::string reason;
  std::string by; // a person, or "gate"

  bool operator==(const skill_change&) const = default;
};

struct skill {
  id128 id;             // skill_id() of conditions and step
  uint32_t version = 1; // rises with every change of state
  uint32_t features = skill_features_version;
  skill_conditions conditions;
  skill_step step;
  std::vector<std::string> not_for; // signals of steps that contradicted it: narrows the conditions
  skill_state state = skill_state::hypothesis;
  std::string reason; // for the state
  std::vector<skill_application> applications;
  skill_provenance provenance;
  std::vector<skill_change> history;

  bool operator==(const skill&) const = default;
};

// Returns the id that follows from a skill's features, conditions and step.
id128 skill_id(const skill& s);

// The part of a skill that a step was given. The selection of the step records it, so a replay needs no book.
struct offered_skill {
  id128 id;
  uint32_t version = 0;
  skill_state state = skill_state::hypothesis; // hypothesis also for other features or hardware
  skill_step step;
  std::string pattern;
  double weight = 0.0;    // log gain to expect here
  double gain = 0.0;      // mean of the posterior of the log gain
  double deviation = 0.0; // its standard deviation
  uint32_t applications = 0;

  bool operator==(const offered_skill&) const = default;
};

template <class I>
typename I::result_type inspect(I& f, skill_change& x) {
  stored_as_text state{x.state};
  return f(x.version, x.time_ns, state, x.reason, x.by);
}
template <class I>
typename I::result_type inspect(I& f, skill& x) {
  stored_as_text state{x.state};
  return f(x.id, x.version, x.features, x.conditions, x.step, x.not_for, state, x.reason, x.applications, x.provenance,
           x.history);
}
template <class I>
typename I::result_type inspect(I& f, offered_skill& x) {
  stored_as_text state{x.state};
  return f(x.id, x.version, state, x.step, x.pattern, x.weight, x.gain, x.deviation, x.applications);
}

} // namespace kevolve
