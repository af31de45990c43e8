// Predicts what judging a task takes of a GPU, from its declared shapes, before anything runs.
#pragma once

#include "runtime/base/contract.hpp"

#include <optional>
#include <string>

namespace kevolve {

struct device_demand {
  double first_seconds = 0.0;     // until the first verdict: processes start, the task is admitted, inputs are drawn
  double candidate_seconds = 0.0; // a further candidate in a screening
  double confirm_seconds = 0.0;   // a confirmation
  double memory_bytes = 0.0;      // that the device needs at once; sets that are kept take what is left over
  std::string shape;              // the shape that it lies there for
  bool drawn_on_device = false;   // large inputs are drawn there, and the expected values computed
};

// Returns nothing if no shape's size is known without data.
std::optional<device_demand> demand_of(const contract& task);

// Returns a text such as "about 21 s until the first verdict, 1.2 s a further candidate, 4.2 s a confirmation". The
// text goes on with "; needs 42 GiB of its memory, on shape 'rows=131072 cols=4096'".
std::string to_string(const device_demand& d);

} // namespace kevolve
