// Tells what limits a candidate on each declared shape, by the roofs, the occupancy and the device's records of its
// kernels.
#pragma once

#include "backends/nvidia/runner/clock_report.hpp"
#include "backends/nvidia/runner/gpu_judge_context.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve::cuda {

// Adds "bound.SHAPE" to the evidence. "bound" and "bound.why" are those of the shape with the longest call. `clocks`
// are by shape, as `shapes` are.
void note_bottlenecks(gpu_judge_context& b, const judge_request& request, const std::vector<compared_shape>& shapes,
                      const std::vector<clock_samples>& clocks, const std::map<std::string, kernel_facts>& kernels,
                      judge_outcome& out);

} // namespace kevolve::cuda
