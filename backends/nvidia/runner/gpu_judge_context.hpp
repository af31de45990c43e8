// The state that the cuda runner keeps between requests: the shared judge's, what is known of the device, and the
// memory that workers exchange through.
#pragma once

#include "backends/framework/framework_client.hpp"
#include "backends/judge/judge_context.hpp"
#include "backends/judge/native/native_reference.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/nvidia/bottleneck.hpp"
#include "backends/nvidia/cubin.hpp"
#include "backends/nvidia/nvml.hpp"
#include "backends/nvidia/runner/examiner_client.hpp"
#include "backends/nvidia/runner/worker_client.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace kevolve::cuda {

struct runner_settings {
  judge_settings common;
  native_settings references; // that are native objects
  worker_options worker;
  framework_options framework;
  std::string profiler;  // Nsight Compute's ncu; empty: there is none
  std::string sanitizer; // compute-sanitizer; empty: there is none
};

struct standing_baseline;

struct gpu_judge_context {
  runner_settings settings;
  judge_context common;
  native_sandbox sandbox;                 // of native references
  shared_arena exchange;                  // where there is no examiner
  examiner_client examiner;               // kept between requests, with what it holds
  cuda_wire::hello device;                // of the first worker
  std::optional<management> watch;        // clocks and company, where the library is there
  std::optional<device_sample> seen;      // at the last look; whoever tells the node takes it
  cuda_wire::measured peaks;              // copy rate 0: not measured yet
  framework_client framework;             // of a reference in PyTorch; kept between requests
  std::deque<worker_client> warm_workers; // each serves one program, once; their contexts are made beside what runs
  std::vector<pid_t> terminated;          // killed, and on the device until the driver has taken their contexts down
  std::shared_ptr<set_source> sets;       // made on the device, for references in a framework
  std::shared_ptr<standing_baseline> baseline; // of the last screening, for those that it has left sets for
  uint32_t pairs_of_workers = 1;               // the most that a screening has taken: the next one finds so many ready

  explicit gpu_judge_context(runner_settings s)
      : settings(std::move(s)), common(settings.common), sandbox(settings.references) {}
};

// Asks a fresh worker for the device's properties; called once, before any request.
result<void> query_device(gpu_judge_context& b);
// Returns a worker that has run nothing: a warm one, or a new one.
result<worker_client> take_worker(gpu_judge_context& b);
// Starts as many warm workers as a screening takes and lets them make their contexts: the next candidates will not wait
// for theirs. The driver makes one context after the other, beside the device's other work. docs/results/gpu.md has the
// effect on timed calls.
void refill(gpu_judge_context& b);
// Waits until the warm workers have their contexts.
void wait_until_ready(gpu_judge_context& b);
// Ends a worker that runs nothing, without waiting for the driver.
void terminate(gpu_judge_context& b, worker_client& worker);
// Return the most processes of ours that the device may know of: in a screening, and while nothing is judged.
size_t own_processes(gpu_judge_context& b);
size_t standing_processes(gpu_judge_context& b);
// Returns the device's state, for the node too; nothing without the library. `ours` is counted before, for they only
// become fewer.
std::optional<device_noise> look(gpu_judge_context& b, size_t ours);
// Runs a kernel with a known answer in a fresh worker and measures bandwidths; a fault if the device fails.
attempt<void> check_health(gpu_judge_context& b);

// Returns the time that the work of a set takes at each of the device's roofs; zeros where they are unknown. They are
// for a report, not for a verdict: copies' rate is the memory's.
call_roofs roofs_of(const gpu_judge_context& b, const contract& task, const input_set& set);
// Returns the physics floor of a set, or 0 where the task declares no work or the device's rates are unknown.
attempt<double> floor_of(gpu_judge_context& b, const judge_request& request, const input_sets& inputs);

judge_outcome evaluate_request(gpu_judge_context& b, const judge_request& request, const request_hooks& hooks);

// Checks a candidate, and screens or confirms it against its baseline, as the mode says.
attempt<void> evaluate_candidate(gpu_judge_context& b, const judge_request& request, const request_hooks& hooks,
                                 judge_outcome& out);

} // namespace kevolve::cuda
