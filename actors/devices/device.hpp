// A timing device: owns one judge process and the exclusive right to time on its cores. It runs a probe with a known
// answer before its first job, after a crash on it, and at intervals. While probes fail it gets no jobs. It publishes
// and stores the judge's samples of clocks, power and temperature (device_samples.hpp).
#pragma once

#include "actors/devices/helper_owner.hpp"

#include <optional>

namespace kevolve {

struct device_state : helper_owner_state<judge_outcome> {
  static inline const char* name = "device";

  device_health health;
  id128 probe;                            // probe in progress; zero: none
  std::optional<judge_request> postponed; // job that waits until the probe has passed
  std::optional<judge_outcome> doubtful;  // outcome of a job, kept until the probe has ended
  device_record latest;                   // with the serial of the last stored record
  std::optional<device_record> stored;    // the last record stored by this actor
  caf::actor_clock::time_point stored_at;
  bool storing = false;
};

device_actor::behavior_type device(device_actor::stateful_pointer<device_state> self, actor_status_ptr own_status,
                                   helper_setup setup);

} // namespace kevolve
