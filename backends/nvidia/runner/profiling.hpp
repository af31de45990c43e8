// Runs Nsight Compute on a candidate after all timing is done. Its counters decide nothing.
#pragma once

#include "backends/nvidia/runner/gpu_judge_context.hpp"

#include <memory>
#include <vector>

namespace kevolve::cuda {

// Records what the vendor's profiler counts on the declared shapes, as evidence `profile` and `profile.SHAPE`; or why
// it was not measured.
void note_profile(gpu_judge_context& b, const judge_request& request,
                  const std::vector<std::shared_ptr<const input_sets>>& all_inputs, const request_hooks& hooks,
                  judge_outcome& out);

} // namespace kevolve::cuda
