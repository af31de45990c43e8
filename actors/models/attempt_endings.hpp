// The end of an attempt to have a question answered: what is stored, what it says of the provider, and what follows.
#pragma once

#include "actors/models/model_attempts.hpp"

#include <functional>

namespace kevolve::model_attempts {

// Calls `then` after a wait. A call has one timer: an earlier one is cancelled.
void later(pointer self, const call_ptr& c, llm::milliseconds wait, std::function<void()> then);

// Takes in how the attempt ended: settles its reservation, notes the provider's health, stores the answer or the
// failure, and finishes the question or goes on with it.
void ended(pointer self, const call_ptr& c, provider_end& e);

// Stores an attempt that brought no answer, then calls `then`.
void took_nothing(pointer self, const call_ptr& c, const provider_end& e, const std::function<void()>& then);

} // namespace kevolve::model_attempts
