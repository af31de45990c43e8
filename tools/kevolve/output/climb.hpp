// The climb of a campaign for people: each new best, when it came. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct best_so_far {
  double wall_s = 0.0;     // since the campaign was submitted
  uint64_t candidates = 0; // finished by then
  uint64_t node = 0;
  double speedup = 0.0;
};

// Returns each new best as it came, such as "5.43x at candidate 1 (0:13), 9.11x at candidate 2 (0:17)". Of a long climb
// it leaves out the middle.
std::string climb_text(const std::vector<best_so_far>& curve);

} // namespace kevolve
