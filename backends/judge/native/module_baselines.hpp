// A confirmed candidate beside the PyTorch module that its reference was made from: eager and torch.compile, on the
// candidate's core, in pairs of calls on one input set, in random order. The module runs in the framework's sandboxed
// process and is timed by its clock, without the way there; the candidate is called and checked as in every comparison,
// and the time of an empty call is taken off its own.
#pragma once

#include "backends/framework/framework_client.hpp"
#include "backends/judge/judge_context.hpp"
#include "backends/judge/native/native_process_pair.hpp"
#include "backends/judge/paired_comparison.hpp"
#include "runtime/base/baseline_figure.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// The process of PyTorch modules, kept between requests with what it has compiled, and the memory that it maps.
struct module_process {
  cuda::framework_options options;
  cuda::framework_client client;
  shared_arena arena;
  uint64_t mapped_for = 0; // start of the process that maps the arena
};

class module_baselines {
public:
  module_baselines(module_process& module, const judge_request& request, const request_hooks& hooks,
                   native_process_pair& processes, paired_comparison& comparison)
      : module_(module), request_(request), hooks_(hooks), processes_(processes), comparison_(comparison) {}

  // Adds the figures to the evidence. An error of the module is a note; an error is the candidate's, or the judge's.
  attempt<void> run(std::map<std::string, std::string>& evidence);

private:
  std::string start();
  std::string map_room(size_t bytes);
  attempt<baseline_figure> against(cuda::framework_mode mode);
  attempt<baseline_figure> on_shape(cuda::framework_mode mode, size_t index);
  // Returns why the module's call failed; empty if it went well. `check`: its outputs are compared, too.
  std::string call(cuda::framework_mode mode, const input_sets& pool, const input_set& set, bool check,
                   std::chrono::nanoseconds limit, double& ns);
  std::chrono::nanoseconds left() const;

  module_process& module_;
  const judge_request& request_;
  const request_hooks& hooks_;
  native_process_pair& processes_;
  paired_comparison& comparison_;
  std::chrono::steady_clock::time_point until_;
};

} // namespace kevolve
