// The draws that a sanitised replay calls a candidate on.
#pragma once

#include "backends/judge/input_sets.hpp"

#include <memory>
#include <string>
#include <vector>

namespace kevolve {

struct replay_draw {
  const input_sets* inputs = nullptr;
  size_t set = 0;
};

struct replay_plan {
  std::vector<replay_draw> draws;
  std::vector<const input_sets*> left_out; // no draw of these fits into the time
  size_t shapes = 0;                       // with a draw, edges and adversarial draws counted apart
  size_t edges = 0;
  size_t adversarial = 0; // of the draws
};

// Returns the nanoseconds that a call on a set of these is expected to take with sanitizers.
double replay_cost_ns(const input_sets& inputs);

// Chooses a draw of each group of inputs, the cheapest first, then one more of each in turn. It stops when no more is
// expected to fit into the time.
replay_plan plan_replay(const std::vector<std::shared_ptr<const input_sets>>& all_inputs, double first_round_ns,
                        double more_ns);

// Returns text such as "134 draws on 7 shapes and 5 edges, 100 of them adversarial"; groups left out are named if they
// are declared.
std::string describe(const replay_plan& plan);

} // namespace kevolve
