// The facts that the moves rely on beside the program itself.
#pragma once

#include "backends/generators/transform/analysis/analysis.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::transform {

// The task, the hardware and the facts about the reference's loops; lives as long as one proposal.
struct environment {
  const contract& task;
  const std::map<std::string, int64_t>& hardware;
  const std::vector<std::string>& flag_menu;
  const std::string& baseline_flags;
  std::map<std::string, loop_facts> facts;
};

// Returns the facts of the reference's loop that the loop was made of.
const loop_facts& facts_of(const environment& env, const loop_label& label);

// Tells if values of this kind may be summed in another order: yes unless every output must be exact.
bool may_reassociate(const environment& env, scalar_kind k);

} // namespace kevolve::transform
