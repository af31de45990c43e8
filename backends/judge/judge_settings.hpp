// The settings of a judge, and what a request in progress asks of it.
#pragma once

#include "backends/judge/disturbance.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace kevolve {

struct judge_settings {
  size_t cache_bytes = size_t{1} << 30U;   // of input sets kept between requests
  size_t shape_bytes = size_t{192} << 20U; // of one shape's input sets
  size_t draw_threads = 0;                 // other cores that draw inputs while the reference works
  noise_limits calm;                       // beyond them a timing session is repeated
};

// The ways in which a running request asks and tells the outside.
struct request_hooks {
  std::function<void(const std::string& stage)> progress;
  std::function<bool()> cancelled;
  std::chrono::steady_clock::time_point deadline;
};

} // namespace kevolve
