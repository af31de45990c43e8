// A timing device: owns one judge process and the exclusive right to time on its cores. It proves itself with a known
// answer before its first job, after whatever crashed on it and at intervals; while it fails, it gets no jobs. Shows
// and stores what the judge says of clocks, power and temperature (device_samples.hpp).
#pragma once

#include "actors/devices/helper_owner.hpp"

#include <optional>

namespace kevolve {

struct device_state : helper_owner_state<judge_outcome> {
  static inline const char* name = "device";

  device_health health;
  id128 probe;                            // under way; zero: none
  std::optional<judge_request> postponed; // the job, until the probe has passed
  std::optional<judge_outcome> doubtful;  // the job's outcome, until the probe has ended
  device_record latest;                   // with the serial of the last one that was stored
  std::optional<device_record> stored;    // the last one, by this actor
  caf::actor_clock::time_point stored_at;
  bool storing = false;
};

device_actor::behavior_type device(device_actor::stateful_pointer<device_state> self, card_ptr card,
                                   helper_setup setup);

} // namespace kevolve
