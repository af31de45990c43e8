// A question as the call of a provider's model, and what is stored of it. Pure.
#pragma once

#include "actors/messages/messages.hpp"
#include "actors/models/provider_plan.hpp"
#include "backends/llm/protocol/wire.hpp"

#include <string>

namespace kevolve::synthesis {

// The body that is sent; errc::bad_input as encode_request().
result<std::string> body_of(const model_question& q, const provider_plan& to);
// Of its turns and, where it may call some, of its tools; by estimate.
int64_t tokens_of(const model_question& q);
llm::call_size size_of(const model_question& q);
// At most what the call may take, of a question of that size.
llm::call_worst worst_of(const model_question& q, const llm::call_size& size, const provider_plan& to);

id128 reservation_of(const exchange_id& id, size_t attempt);

// The record of a call that goes out.
call_record begun(const provider_plan& to, const std::string& body, const llm::call_worst& worst, uint64_t number,
                  int64_t now_ns);
// What it took. Unknown counts stay unknown; a refusal before any work costs nothing.
struct call_bill {
  bool known = false;
  llm::token_counts used;
  std::optional<llm::nano_money> money;
};
call_bill bill_of(const provider_end& e, const provider_plan& from);
// Its end, into the record.
void ended(call_record& r, const provider_end& e, const call_bill& bill, const std::string& currency, int64_t now_ns);

// No other model would take the request either: the node goes without a candidate.
bool is_about_the_request(llm::failure_class c);
// Refused before any model read it.
bool was_never_read(llm::failure_class c);

} // namespace kevolve::synthesis
