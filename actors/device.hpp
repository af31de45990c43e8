// A timing device: owns one judge process and the exclusive right to time on its cores.
#pragma once

#include "actors/helper_owner.hpp"

namespace kevolve {

struct device_state : helper_owner_state<judge_outcome> {
  static inline const char* name = "device";
};

device_actor::behavior_type device(device_actor::stateful_pointer<device_state> self, card_ptr card,
                                   helper_setup setup);

} // namespace kevolve
