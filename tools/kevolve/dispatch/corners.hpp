// Sizes between a task's shapes that no shape names, where the edges of regions meet.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/regions.hpp"

#include <string>
#include <vector>

namespace kevolve::dispatch {

struct corners {
  std::vector<shape_case> to_judge; // as held-out shapes
  std::vector<sizes> unseen;        // far more work or memory than the largest shape; these are not judged
};

// Limit of a corner's memory and work, relative to the task's largest shape.
inline constexpr double most_beyond = 4.0;

// Returns the ranges of the sizes that vary most among the task's shapes, widest first, `most_corner_sizes` at most;
// constant sizes come last.
std::vector<size_range> widest_sizes(const contract& task);
// Returns the bytes of all arrays of a call; infinity if the sizes are impossible.
double bytes_of(const contract& task, const sizes& given);
// Returns "rows=4 cols=8", in the order of the arguments.
std::string shape_name(const contract& task, const sizes& given);

// Returns the corners of the box around the task's shapes, without the shapes themselves. If more than
// `most_corner_sizes` sizes vary, only those with the widest ranges vary here; the others keep the first shape's
// values. A task that allows its declared sizes alone has no corners.
inline constexpr size_t most_corner_sizes = 4;
corners corners_of(const contract& task);

// Returns the size arguments that are known before a call, in order: those given by a shape, or computed from these by
// [derived]. Sizes that depend on data, such as sum(lengths), are excluded.
std::vector<std::string> size_symbols(const contract& task);

// Returns the shape's sizes and the derived sizes that are known before a call.
sizes complete_sizes(const contract& task, const sizes& given);

} // namespace kevolve::dispatch
