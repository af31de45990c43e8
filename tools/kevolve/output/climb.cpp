#include "tools/kevolve/output/climb.hpp"

#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <utility>

namespace kevolve {

std::string climb_text(const std::vector<best_so_far>& curve) {
  constexpr size_t most = 8;
  std::vector<std::string> steps;
  uint64_t last = 0;
  for (const auto& b : curve)
    if (b.node != std::exchange(last, b.node)) // else the same candidate was measured again
      steps.push_back(
          fmt::format("{} at candidate {} ({})", human_speedup(b.speedup), b.node, human_duration(b.wall_s)));
  if (steps.size() > most) {
    steps.erase(steps.begin() + 1, steps.end() - (most - 2));
    steps.insert(steps.begin() + 1, "…");
  }
  return fmt::format("{}", fmt::join(steps, ", "));
}

} // namespace kevolve
