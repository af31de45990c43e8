// When a device has to prove itself with a known answer, and what follows from its failing. Pure: the device actor
// owns the value and the clock.
#pragma once

#include "backends/protocol.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace kevolve {

struct health_rules {
  uint32_t jobs_between = 256; // jobs after which it proves itself again
  std::chrono::milliseconds time_between = std::chrono::minutes{10};
  std::chrono::milliseconds backoff_min = std::chrono::seconds{1}; // quarantined: to the next try
  std::chrono::milliseconds backoff_max = std::chrono::minutes{2};
  uint32_t probe_limit_ms = 20'000;
};

struct device_health {
  enum class state : uint8_t {
    unproven,    // just started: its predecessor may have died of what ails it
    fit,         //
    suspect,     // something crashed on it since it last proved itself
    quarantined, // its known answer came out wrong: it gets no jobs
  };
  state is = state::unproven;
  uint32_t jobs = 0;                    // since it proved itself
  std::chrono::milliseconds proved{0};  // when, on the owner's clock
  std::chrono::milliseconds backoff{0}; // to the next try
  std::string why;                      // it is quarantined
};
std::string to_string(enum device_health::state s);

// Whether it has to prove itself before it may have another job.
bool probe_due(const device_health& h, const health_rules& rules, std::chrono::milliseconds now);

// Whether a job ended in a way that says nothing about the candidate before the device has proved itself: what
// crashed may have crashed by the device's doing.
bool casts_doubt(const judge_outcome& outcome);

// A job has ended.
void after_job(device_health& h, const judge_outcome& outcome);

// A probe has ended. A failure quarantines; `backoff` then is the time to the next one.
void after_probe(device_health& h, const health_rules& rules, const judge_outcome& probe,
                 std::chrono::milliseconds now);

// What became of a job that came up against a sick device: never a verdict, so that it is done elsewhere or later.
judge_outcome spared(const device_health& h, const id128& job, const std::string& resource_id);

} // namespace kevolve
