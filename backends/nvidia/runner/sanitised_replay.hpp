// Replays a candidate under the vendor's sanitizer before it may be called best: a process of its own for each tool,
// one allocation an argument, on the smallest declared shape, its edge values and one held-out shape.
#pragma once

#include "backends/judge/test_set.hpp"
#include "backends/nvidia/runner/gpu_judge_context.hpp"

namespace kevolve::cuda {

// Records what the tools say as evidence `sanitised`. Refuses the candidate for an error that one reports. A tool that
// is missing or not permitted refuses nobody: the evidence `unsanitised` then says why.
attempt<void> replay_sanitised(gpu_judge_context& b, const judge_request& request, test_set& tests,
                               const request_hooks& hooks, judge_outcome& out);

} // namespace kevolve::cuda
