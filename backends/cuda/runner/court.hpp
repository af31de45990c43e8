// What outlives a request of the cuda runner: the host side that makes inputs and expected values (shared with the CPU
// judge), what is known of the device, and the memory that workers exchange through.
#pragma once

#include "backends/cpu/judge/trial.hpp"
#include "backends/cuda/bottleneck.hpp"
#include "backends/cuda/cubin.hpp"
#include "backends/cuda/framework/framework_client.hpp"
#include "backends/cuda/nvml.hpp"
#include "backends/cuda/package.hpp"
#include "backends/cuda/runner/examiner_client.hpp"
#include "backends/cuda/runner/worker_client.hpp"

#include <optional>

namespace kevolve::cuda {

struct runner_settings {
  judge_settings host;
  worker_options worker;
  framework_options framework;
  std::string profiler; // Nsight Compute's ncu; empty: there is none
};

struct bench {
  runner_settings settings;
  court host;
  shared_arena exchange;             // where there is no examiner
  examiner_client examiner;          // kept between requests, with what it holds
  cuda_wire::hello device;           // of the first worker
  std::optional<management> watch;   // clocks and company, where the library is there
  cuda_wire::measured peaks;         // copy rate 0: not measured yet
  framework_client framework;        // of a reference in PyTorch; kept between requests
  std::vector<worker_client> spares; // each serves one program, once; contexts are made while nothing is timed
  uint32_t pairs_of_workers = 1;     // the most that a race has taken: the next one finds so many ready

  explicit bench(runner_settings s) : settings(s), host(s.host) {}
};

// Asks a fresh worker who the device is. Once, before any request.
result<void> get_to_know(bench& b);
// A worker that has run nothing: a spare one, or a new one.
result<worker_client> take_worker(bench& b);
// The next ones' processes, which wake the driver and leave the device alone.
void start_spares(bench& b);
// Between requests: the next candidates and their rivals will find their contexts made, as many as a race takes.
void prepare_spares(bench& b);
// Returns once no context is being made any more: from here on calls may be timed.
void settle_spares(bench& b);
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
