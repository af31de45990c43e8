// Sizes that no shape of a task names and that lie between those that do: where a region's edges meet.
#pragma once

#include "runtime/base/contract.hpp"
#include "tools/kevolve/dispatch/regions.hpp"

#include <string>
#include <vector>

namespace kevolve::dispatch {

struct corners {
  std::vector<shape_case> to_judge; // held out
  std::vector<sizes> unseen;        // far more work or memory than the largest shape: nobody is to wait for these
};

// A corner takes so many times the memory and the work of the task's largest shape at most.
inline constexpr double most_beyond = 4.0;

// The corners of the box around the task's shapes that are no shapes. Of more than `most_corner_sizes` sizes that vary
// only those of the widest ranges do here; the others are as in the first shape.
inline constexpr size_t most_corner_sizes = 4;
corners corners_of(const contract& task);

// The size arguments that are known before a call, in order: given by a shape, or computed from such by [derived]. One
// that hangs on data (sum(lengths)) is none.
std::vector<std::string> size_symbols(const contract& task);

// The shape's sizes and the derived ones that are known before a call.
sizes complete_sizes(const contract& task, const sizes& given);

} // namespace kevolve::dispatch
