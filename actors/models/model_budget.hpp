// What calls of models may cost and have cost: the ledgers of campaigns and providers, and what is stored of them.
#pragma once

#include "actors/models/model_attempts.hpp"
#include "actors/models/provider_calls.hpp"

#include <functional>
#include <string>

namespace kevolve::model_attempts {

// Calls `then` once that ledger is read: a call that was open when we went down took what it may have taken at most.
// Ledgers are stored with each call: that of a campaign which has ended is read again if it goes on, or comes again.
void drop_ledgers_of_the_left(models_state& st);
void with_ledger(pointer self, const std::string& key, std::function<void()> then);

enum class reserved : uint8_t {
  yes = 0,
  elsewhere, // its provider may not be paid any more, and is on hold
  later,     // what others have reserved may be given back
  no         // the campaign may pay no more; the question has ended
};

// For the question's next attempt, with its campaign and the provider.
reserved reserve(pointer self, const call_ptr& c, size_t provider, llm::call_worst worst);
// On hold again, if not even a call that costs nothing fits into what this provider may still be paid.
void hold_if_used_up(pointer self, size_t provider);
// The reservation of an attempt that was not made.
void release(models_state& st, const call_ptr& c, size_t provider);
// The last attempt has ended; so many requests went out for it.
void settle(models_state& st, const call_ptr& c, size_t provider, const synthesis::call_bill& bill, int64_t requests);

// The next number of a call in its campaign, for the one that has just been reserved.
uint64_t number_of(models_state& st, const call_ptr& c);

// The event about the last attempt; record and ledgers with it in one write: what is stored of a call is what was
// counted.
call_event event_of(models_state& st, const call_ptr& c);
append_request write_of(models_state& st, const call_ptr& c, event_kind kind);

} // namespace kevolve::model_attempts
