// Skills as people read them: gains as factors with intervals, times as dates. The form for exchange between nodes is
// that of actors/knowledge/skill_json.hpp.
#pragma once

#include "actors/knowledge/skill_messages.hpp"
#include "runtime/node/admin/json.hpp"

namespace kevolve {

// What a skill has brought on candidates other than the one that it comes from.
struct skill_use_figures {
  uint64_t applications = 0;
  uint64_t valid = 0;     // of them, those whose candidate passed
  double best_gain = 0.0; // parent's time over the child's; 0: none passed
  id128 campaign;         // of the best gain
  uint64_t candidate = 0;
};
skill_use_figures use_figures(const skill& s);

// Without applications, history, and code of the step. `gain` is the factor to expect, with its 95 % `interval`.
json brief_json(const weighed_skill& s);
// All of a skill. An application whose candidate did not pass has no gain.
json whole_json(const weighed_skill& s);
json to_json(const skill_import& x);
// The state that a change has led to.
json state_json(const skill& s);

} // namespace kevolve
