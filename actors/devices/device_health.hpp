// Decides when a device has to run a probe with a known answer, and what follows if the probe fails. Pure: the device
// actor owns the value and the clock.
#pragma once

#include "backends/protocol.hpp"
#include "runtime/base/enum_text.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

struct health_rules {
  uint32_t jobs_between = 256; // jobs after which a probe is due
  std::chrono::milliseconds time_between = std::chrono::minutes{10};
  std::chrono::milliseconds backoff_min = std::chrono::seconds{1}; // time to the next probe in quarantine
  std::chrono::milliseconds backoff_max = std::chrono::minutes{2};
  uint32_t probe_limit_ms = 20'000;
};

struct device_health {
  enum class state : uint8_t {
    unproven,    // just started: its predecessor may have crashed because of the device
    fit,         // the last probe passed
    suspect,     // a crash occurred on it since the last probe
    quarantined, // the probe's answer was wrong: it gets no jobs
  };
  state is = state::unproven;
  uint32_t jobs = 0;                    // since the last probe
  std::chrono::milliseconds proved{0};  // time of the last passed probe, on the owner's clock
  std::chrono::milliseconds backoff{0}; // time to the next probe
  std::string why;                      // reason for the quarantine
};
inline constexpr std::array<std::string_view, 4> device_state_texts{"unproven", "fit", "suspect", "quarantined"};
constexpr const auto& enum_texts(enum device_health::state) {
  return device_state_texts;
}

// Returns true if a probe must pass before the next job.
bool probe_due(const device_health& h, const health_rules& rules, std::chrono::milliseconds now);

// Returns true if the outcome says nothing about the candidate until the device has passed a probe: the device may have
// caused the crash.
bool casts_doubt(const judge_outcome& outcome);

// Records the end of a job.
void after_job(device_health& h, const judge_outcome& outcome);

// Records the end of a probe. A failure quarantines the device; `backoff` is then the time to the next probe.
void after_probe(device_health& h, const health_rules& rules, const judge_outcome& probe,
                 std::chrono::milliseconds now);

// Returns the outcome of a job on a sick device: a fault and never a verdict, so that the job runs elsewhere or later.
judge_outcome spared(const device_health& h, const id128& job, const std::string& resource_id);

} // namespace kevolve
