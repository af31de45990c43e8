// Uniform expansion: which candidate the recorder makes the next one from. No figure but the verdict matters, so that
// a record favours no policy.
#pragma once

#include "runtime/base/random.hpp"
#include "tools/bench/landscape/landscape.hpp"

#include <cstdint>
#include <vector>

namespace kevolve::bench {

struct expansion_options {
  uint32_t drafts = 24;     // first drafts come first
  uint32_t depth = 6;       // of the deepest parent
  uint32_t width = 8;       // parents of each depth: so that each has many children
  double fresh = 0.05;      // share of steps without a parent
  double crossovers = 0.15; // share of steps with a second parent
};

struct expansion_step {
  step_kind kind = step_kind::draft;
  std::vector<uint32_t> parents;
  uint32_t draft_index = 0;
};

// Returns the depth of each node: the reference has 0, a draft 1.
std::vector<uint32_t> depths_of(const landscape& of);

// Returns the next step after `begun` of them: a depth is drawn first, then one of its parents, each as likely as the
// others. The parents of a depth are its first valid candidates, each with machine code of its own.
expansion_step next_step(const landscape& so_far, const expansion_options& options, uint32_t begun, splitmix64& random);

} // namespace kevolve::bench
