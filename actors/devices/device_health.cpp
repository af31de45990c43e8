#include "actors/devices/device_health.hpp"

#include "runtime/base/fault_kinds.hpp"

#include <algorithm>

namespace kevolve {

bool probe_due(const device_health& h, const health_rules& rules, std::chrono::milliseconds now) {
  return h.is != device_health::state::fit || h.jobs >= rules.jobs_between || now - h.proved >= rules.time_between;
}

bool casts_doubt(const judge_outcome& outcome) {
  if (outcome.trouble)
    return !fault_kind::nothing_was_tried(outcome.trouble.kind);
  return outcome.result == verdict::crashed || outcome.result == verdict::out_of_memory;
}

void after_job(device_health& h, const judge_outcome& outcome) {
  ++h.jobs;
  if (casts_doubt(outcome) && h.is == device_health::state::fit)
    h.is = device_health::state::suspect;
}

void after_probe(device_health& h, const health_rules& rules, const judge_outcome& probe,
                 std::chrono::milliseconds now) {
  if (!probe.trouble && probe.result == verdict::pass) {
    h = {};
    h.is = device_health::state::fit;
    h.proved = now;
    return;
  }
  h.why =
      probe.trouble ? probe.trouble.kind + ": " + probe.trouble.detail : to_string(probe.result) + " " + probe.detail;
  h.backoff =
      h.is == device_health::state::quarantined ? std::min(h.backoff * 2, rules.backoff_max) : rules.backoff_min;
  h.is = device_health::state::quarantined;
}

judge_outcome spared(const device_health& h, const id128& job, const std::string& resource_id) {
  judge_outcome out;
  out.job = job;
  out.trouble = {fault_kind::device_sick, resource_id + " fails its known answer: " + h.why, 0};
  return out;
}

} // namespace kevolve
