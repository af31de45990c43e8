#include "actors/search/progress.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

uint8_t memory_operator_of(std::string_view name) {
  return static_cast<uint8_t>(std::find(memory_operator_texts.begin(), memory_operator_texts.end(), name)
                              - memory_operator_texts.begin());
}

void search_progress::ended(const tree_node& n, bool counts) {
  if (n.result == verdict::none)
    return;
  ++ended_;
  const auto faster = counts && n.speedup > fastest_;
  if (n.memory < yields_.size()) {
    auto& y = yields_[n.memory];
    ++y.steps;
    y.seconds += 1.0;
    if (faster)
      y.gain += std::log(n.speedup / fastest_);
  }
  if (!faster)
    return;
  fastest_ = n.speedup;
  if (fastest_ < least_gain * at_gain_)
    return;
  at_gain_ = fastest_;
  last_gain_ = ended_;
}

} // namespace kevolve
