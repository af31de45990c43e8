// Turns of a campaign: its next step is the generator's own, or tries a skill. Both compete by what they brought within
// this campaign, so that skills take no steps where the search's own are ahead. Pure.
#pragma once

#include <cstdint>

namespace kevolve {

struct turn_yield {
  uint64_t steps = 0; // begun, those in flight included
  double gain = 0.0;  // log gains over the fastest candidate known before, each at most log 2
};

// The competition so far; the fold of a campaign's steps. A new one knows nothing.
struct skill_turns {
  turn_yield own;
  turn_yield skills;
  uint64_t in_vain = 0;   // trials of skills in a row that ended without such a gain
  uint64_t own_since = 0; // own steps begun since the last trial began
  uint64_t drafts = 0;    // of the trials: first drafts

  // Notes that a step begins, and which of both it is for.
  void begin(bool by_skill, bool draft);
  // Notes a finished step. A trial whose candidate applied no skill was an own step after all. `log_gain`: over the
  // fastest candidate known before, 0 where it is none.
  void end(bool by_skill, bool applied, bool draft, double log_gain);
};

// Returns true if the next step is to try a skill. `promise` is the log gain that the best of the offered skills lets
// expect, and the prior of skills. A trial that ended without a gain doubles the own steps before the next one.
// Otherwise a draw from what is known of both decides (Thompson sampling), which the seed fixes.
bool is_skills_turn(const skill_turns& so_far, double promise, uint64_t seed);

} // namespace kevolve
