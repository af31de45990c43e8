// Runs the passes of a job one after the other, in the helper process. A pass that fails, or whose candidate does, is
// skipped with the reason: it is a finding about the pass and never a verdict.
#pragma once

#include "backends/profile/pass.hpp"
#include "backends/profile/wire.hpp"
#include "backends/profile/work_time.hpp"

#include <functional>
#include <span>

namespace kevolve {

// The helper's side of one job.
struct pass_place {
  pass_sandbox* sandbox = nullptr;
  std::string scratch; // a folder that exists; each pass gets an empty one below it
  std::string bin_dir;
  // Calls `run` while no other process times on the core; an error if it is not free in time.
  std::function<result<void>(int core, const std::function<void()>& run)> with_core;
  std::function<work_time()> clock = work_time_now;
};

// Calls `starts` before each pass that may run and `ended` after every pass of the job.
void run_passes(const profile_job& job, std::span<const profile_pass> known, const pass_place& place,
                const std::function<void(const std::string& pass)>& starts,
                const std::function<void(const pass_outcome&)>& ended);

} // namespace kevolve
