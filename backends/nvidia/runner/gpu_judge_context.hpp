// What outlives a request of the cuda runner: the host side that makes inputs and expected values (shared with the CPU
// judge), what is known of the device, and the memory that workers exchange through.
#pragma once

#include "backends/framework/framework_client.hpp"
#include "backends/judge/judge_context.hpp"
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
  judge_settings host;
  worker_options worker;
  framework_options framework;
  std::string profiler; // Nsight Compute's ncu; empty: there is none
};

struct standing_rival;

struct bench {
  runner_settings settings;
  court host;
  shared_arena exchange;                 // where there is no examiner
  examiner_client examiner;              // kept between requests, with what it holds
  cuda_wire::hello device;               // of the first worker
  std::optional<management> watch;       // clocks and company, where the library is there
  std::optional<device_sample> seen;     // at the last look; whoever tells the node takes it
  cuda_wire::measured peaks;             // copy rate 0: not measured yet
  framework_client framework;            // of a reference in PyTorch; kept between requests
  std::deque<worker_client> spares;      // each serves one program, once; their contexts are made beside what runs
  std::vector<pid_t> dismissed;          // killed, and on the device until the driver has taken their contexts down
  std::shared_ptr<standing_rival> rival; // of the last race, for those that it has left sets for
  uint32_t pairs_of_workers = 1;         // the most that a race has taken: the next one finds so many ready

  explicit bench(runner_settings s) : settings(s), host(s.host) {}
};

// Asks a fresh worker who the device is. Once, before any request.
result<void> get_to_know(bench& b);
// A worker that has run nothing: a spare one, or a new one.
result<worker_client> take_worker(bench& b);
// Starts the next ones and has them make their contexts, as many as a race takes: the next candidates will not wait for
// theirs. The driver makes one after the other, beside what else the device does; docs/results/gpu.md has what that
// does to timed calls.
void replenish(bench& b);
// Waits until they have them.
void settle(bench& b);
// Ends a worker that runs nothing, without waiting for the driver.
void dismiss(bench& b, worker_client& worker);
// The most processes of ours that the device may know of: in a race, and while nothing is judged.
size_t own_processes(bench& b);
size_t standing_processes(bench& b);
// What the device is like, for the node too; nothing without the library. `ours`: counted before, for they only become
// fewer.
std::optional<device_weather> look(bench& b, size_t ours);
// A fresh worker, a kernel with a known answer, bandwidths. A fault if the device does not give it.
attempt<void> check_health(bench& b);

// What the work of a set takes at each of the device's roofs; zeros where they are unknown. For what is told, not for
// a verdict: copies' rate is the memory's.
call_roofs roofs_of(const bench& b, const contract& task, const pool_set& set);
// The physics floor of a set, or 0 where the task declares no work or the device's rates are unknown.
attempt<double> floor_of(bench& b, const judge_request& request, const shape_pool& pool);

judge_outcome hold_trial(bench& b, const judge_request& request, const request_hooks& hooks);

// Inside hold_trial.
attempt<void> race(bench& b, const judge_request& request, const request_hooks& hooks, judge_outcome& out);

} // namespace kevolve::cuda
