// A confirmed candidate beside the PyTorch module that its reference was made from: eager and torch.compile, on the
// candidate's core, in pairs of calls on one input set, in random order. The module runs in the framework's sandboxed
// process and is timed by its clock, without the way there. The candidate is called and checked as in every comparison,
// and its time is reduced by that of an empty call.
#pragma once

#include "backends/judge/native/module_calls.hpp"
#include "backends/judge/native/native_process_pair.hpp"
#include "backends/judge/paired_comparison.hpp"
#include "runtime/base/baseline_figure.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

class module_baselines {
public:
  module_baselines(module_process& module, const judge_request& request, const request_hooks& hooks,
                   native_process_pair& processes, paired_comparison& comparison)
      : module_(module, request, std::chrono::steady_clock::now() + std::chrono::milliseconds{request.baselines_ms}),
        request_(request), hooks_(hooks), processes_(processes), comparison_(comparison) {}

  // Adds the figures to the evidence. An error of the module is a note; an error is the candidate's, or the judge's.
  attempt<void> run(std::map<std::string, std::string>& evidence);

private:
  attempt<baseline_figure> against(cuda::framework_mode mode);
  attempt<baseline_figure> on_shape(cuda::framework_mode mode, size_t index);

  module_calls module_;
  const judge_request& request_;
  const request_hooks& hooks_;
  native_process_pair& processes_;
  paired_comparison& comparison_;
};

} // namespace kevolve
