// The settings of a judge, and what a request in progress asks of it.
#pragma once

#include "backends/judge/disturbance.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kevolve {

struct judge_settings {
  std::string zygote_path;
  int core = 0;                               // where single-threaded candidates and the judge run
  std::vector<int> thread_cores;              // where candidates of tasks with threads run
  size_t cache_bytes = size_t{1} << 30U;      // of pools kept between requests
  size_t shape_bytes = size_t{192} << 20U;    // of one pool
  size_t draw_threads = 0;                    // other cores that draw inputs while the reference works
  uint64_t memory_bytes = uint64_t{1} << 30U; // a candidate's address space beside its arguments
  noise_limits calm;                          // beyond them a timing session is repeated
};

// What a running request asks and tells the outside.
struct request_hooks {
  std::function<void(const std::string& stage)> progress;
  std::function<bool()> cancelled;
  std::chrono::steady_clock::time_point deadline;
};

} // namespace kevolve
