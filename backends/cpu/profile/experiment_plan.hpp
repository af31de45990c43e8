// Experiments on a call: one thing changed, the rest the same. Pure: experiments_pass.cpp runs them.
#pragma once

#include "backends/cpu/profile/call_image.hpp"
#include "backends/cpu/profile/call_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kevolve {

struct experiment {
  std::string name;     // "flush_to_zero", "huge_pages", "moved_array", "sorted_values", "level_values", "smaller_set"
  std::string argument; // the array that it changes; empty: none
  call_side unchanged;
  call_side changed;
  std::optional<call_image> arguments; // of the changed side, in a file of their own; none: the same
};

// Returns the experiments that make sense for these arguments. `side` is the call as it is.
std::vector<experiment> plan_experiments(const call_image& image, const call_side& side);

// Returns the shape with its sizes halved, in turn and the largest first, until all arrays together have at most
// `bytes`. Nothing if the task allows no other sizes, or none is small enough.
std::optional<shape_case> smaller_shape(const contract& task, const shape_case& shape, size_t bytes);

// Median and 95 % interval of unchanged over changed time.
struct experiment_figure {
  double speedup = 0.0;
  double low = 0.0;
  double high = 0.0;
  size_t pairs = 0;
};
// Returns the figure of an answer. `work`: the work of the unchanged call over that of the changed one; 1 if both do
// the same.
experiment_figure figure_of(const call_answer& answer, double work);

} // namespace kevolve
