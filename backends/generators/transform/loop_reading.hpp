// Tells which loops of a reference the embedded generator can change, and what keeps it from more.
#pragma once

#include "backends/generator.hpp"
#include "backends/loop_obstacle.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct loop_reading {
  size_t line = 0;
  std::string label;
  loop_obstacle ordered_by = loop_obstacle::none; // what keeps its iterations in order; none: they are independent
  std::string ordered_why;
  loop_obstacle scalar_by = loop_obstacle::none; // what keeps it from vectors as it stands; none: it can be vectorised
  std::string scalar_why;
};

// Returns the loops by line. Empty: the reference cannot be read, or has no loop.
std::vector<loop_reading> read_loops(const synthesis_context& context);

} // namespace kevolve
