// The possible and actual cost of model calls: the ledgers of campaigns and providers, and their stored records.
#pragma once

#include "actors/models/model_attempts.hpp"
#include "actors/models/provider_calls.hpp"

#include <functional>
#include <string>

namespace kevolve::model_attempts {

// with_ledger() calls `then` once that ledger is read; a call that was open when the node went down counts with its
// highest possible cost. Ledgers are stored with each call, so drop_ledgers_of_the_left() may drop those of ended
// campaigns: they are read again if needed.
void drop_ledgers_of_the_left(models_state& st);
void with_ledger(pointer self, const std::string& key, std::function<void()> then);

enum class reserved : uint8_t {
  yes = 0,
  elsewhere, // the provider's budget is used up, and it is on hold
  later,     // other calls may release their reservations
  no         // the campaign's budget is used up; the question has ended
};

// Reserves the question's next attempt with its campaign and the provider.
reserved reserve(pointer self, const call_ptr& c, size_t provider, llm::call_worst worst);
// Holds the provider again if its budget has no room even for a call without cost.
void hold_if_used_up(pointer self, size_t provider);
// Releases the reservation of an attempt that was not made.
void release(models_state& st, const call_ptr& c, size_t provider);
// Settles the last attempt; `requests` is the number of requests sent for it.
void settle(models_state& st, const call_ptr& c, size_t provider, const synthesis::call_bill& bill, int64_t requests);

// Returns the next number of a call in its campaign, for the call just reserved.
uint64_t number_of(models_state& st, const call_ptr& c);

// event_of() returns the event about the last attempt. write_of() adds the record and the ledgers in the same write, so
// that stored calls and ledgers agree.
call_event event_of(models_state& st, const call_ptr& c);
append_request write_of(models_state& st, const call_ptr& c, event_kind kind);

} // namespace kevolve::model_attempts
