// Calls of the PyTorch module that a native task was made from, in the framework's sandboxed process, timed by its
// clock.
#pragma once

#include "backends/framework/framework_client.hpp"
#include "backends/judge/judge_context.hpp"

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

// One request's use of the process. Methods that return a text return why they failed, and nothing where they did not.
class module_calls {
public:
  module_calls(module_process& process, const judge_request& request, std::chrono::steady_clock::time_point until)
      : process_(process), request_(request), until_(until) {}

  std::chrono::steady_clock::time_point until() const { return until_; }
  std::chrono::nanoseconds left() const { return until_ - std::chrono::steady_clock::now(); }
  // Loads the module, into a new process where the last has ended.
  std::string load();
  // Does the same, and maps room for a layout of so many bytes.
  std::string ready(size_t bytes);
  // Makes one call on an input set and sets the nanoseconds that it took. `check`: its outputs are compared, too.
  std::string call(cuda::framework_mode mode, const input_sets& inputs, const input_set& set, bool check,
                   std::chrono::nanoseconds limit, double& ns);
  // Returns PyTorch's version; "?" if no process runs.
  std::string version() const;

private:
  std::string map_room(size_t bytes);

  module_process& process_;
  const judge_request& request_;
  std::chrono::steady_clock::time_point until_;
};

// Times eager PyTorch on each declared shape for the prompts of an admitted task: "eager_ns.SHAPE" in the evidence is
// the median of a few calls on the inputs of the admission. What fails is no fault of the task: "eager.note" says why.
void note_eager(module_process& process, judge_context& c, const judge_request& request, const request_hooks& hooks,
                std::map<std::string, std::string>& evidence);

} // namespace kevolve
