#include "actors/device.hpp"

namespace kevolve {

device_actor::behavior_type device(device_actor::stateful_pointer<device_state> self, card_ptr card,
                                   helper_setup setup) {
  return helper_owner::behave<device_actor, judge_outcome, judge_request, atom::judge>(
      self, std::move(card), std::move(setup), "judge", frame_kind::judge_request, frame_kind::judge_outcome);
}

} // namespace kevolve
