// Plays a policy on a landscape: the policies and the tree of actors/search, with the record in place of generator and
// judge. A pure function of the record, the options and the seed.
#pragma once

#include "actors/search/policy.hpp"
#include "tools/bench/landscape/world.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace kevolve::bench {

struct play_options {
  policy_options policy;
  uint64_t seed = 1;
  uint64_t budget = 60; // evaluations after the first drafts
  uint64_t in_flight = 1;
  double share = 0.95;      // of the record's best figure: the goal
  bool novelty = true;      // a candidate that the tree has is not proposed again
  double move_factor = 1.0; // weight of steps that add a move against what bounds the parent, where the record says
  bool omniscient = false;  // parents are chosen by the record's figures: no policy can be much faster
};

struct played_campaign {
  search_tree tree;
  std::vector<uint32_t> candidates;    // of the record, by the tree's node; 0: the step brought nothing
  std::vector<double> best_after;      // true figure of the fastest by its measured one, by evaluation after the drafts
  std::optional<uint64_t> evaluations; // after the drafts until the goal; 0: a draft is there
  uint64_t steps = 0;                  // wanted after the drafts
  uint64_t lacking = 0;                // of these: the record has no candidate within reach
  uint64_t stretched = 0;              // of these: it has one only by more changes than were drawn
  double seconds = 0.0;                // of the simulated clock: one judge, and a compiler for each step in flight
  double judge_s = 0.0;
};

played_campaign play(const world& on, const play_options& options);

} // namespace kevolve::bench
