// The framework sends nothing when an actor ends with open promises, and the asker would wait for its whole time limit.
// States that hold promises therefore answer them in their destructors.
#pragma once

#include "actors/messages/messages.hpp"

#include <caf/timespan.hpp>
#include <caf/typed_response_promise.hpp>

namespace kevolve {

// The time limit of a request within the node: its receiver always answers, if only by ending. A finite limit would
// cost two wake-ups of the clock's thread, and a candidate takes dozens of requests.
inline constexpr auto until_answered = caf::infinite;

template <class... Ts>
void abandon(caf::typed_response_promise<Ts...>& promise, const char* who) {
  if (promise.pending())
    promise.deliver(to_error({errc::unavailable, std::string{who} + " has ended"}));
}

} // namespace kevolve
