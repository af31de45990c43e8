// Skills as people read them: gains as factors with intervals, times as dates. The form for exchange between nodes is
// that of actors/knowledge/skill_json.hpp.
#pragma once

#include "actors/knowledge/skill_messages.hpp"
#include "runtime/node/admin/json.hpp"

#include <cstdint>
#include <vector>

namespace kevolve {

// Counts what a skill has brought on candidates other than the one that it comes from.
struct skill_use_figures {
  uint64_t applications = 0;
  uint64_t valid = 0;     // of them, those whose candidate passed
  double best_gain = 0.0; // parent's time over the child's; 0: none passed
  id128 campaign;         // of the best gain
  uint64_t candidate = 0;
};
skill_use_figures use_figures(const skill& s);

// A weight is derived from the applications. The mean of the log gain is the sum of all log gains, each by its share.
struct skill_weighing {
  double prior_share = 1.0;    // the prior's, whose log gain is 0
  std::vector<double> shares;  // of each application, in their order: less for noisy and old ones
  double mean = 0.0;           // of the log gain
  uint64_t contradictions = 0; // applications slower beyond their noise; the weight is divided by 1 + this
  bool halved = false;         // because it is a hypothesis
};
skill_weighing weighing_of(const skill& s, int64_t now_ns);

// Returns a skill without applications, history, and code of the step. `gain` is the factor to expect, with its 95 %
// `interval`.
json brief_json(const weighed_skill& s);
// Returns all of a skill. An application whose candidate did not pass has no gain.
json whole_json(const weighed_skill& s, int64_t now_ns);
json to_json(const skill_import& x);
// Describes a skill in the form that a step was given.
json to_json(const offered_skill& s);
// Returns the state that a change has led to.
json state_json(const skill& s);

} // namespace kevolve
