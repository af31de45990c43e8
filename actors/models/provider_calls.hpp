// Encodes a question as a call of a provider's model, and makes the record of the call. Pure.
#pragma once

#include "actors/messages/messages.hpp"
#include "actors/models/provider_plan.hpp"
#include "backends/llm/protocol/wire.hpp"

#include <string>

namespace kevolve::synthesis {

// Returns the body to send; errc::bad_input as encode_request().
result<std::string> body_of(const model_question& q, const provider_plan& to);
// Returns the estimated tokens of its turns and, if it may call tools, of its tools.
int64_t tokens_of(const model_question& q);
llm::call_size size_of(const model_question& q);
// Returns the most that a call of that size may cost.
llm::call_worst worst_of(const model_question& q, const llm::call_size& size, const provider_plan& to);

id128 reservation_of(const exchange_id& id, size_t attempt);

// Returns the record of a call that is about to be sent.
call_record begun(const provider_plan& to, const std::string& body, const llm::call_worst& worst, uint64_t number,
                  int64_t now_ns);
// The cost of a call. Unknown counts stay unknown; a refusal before any work costs nothing.
struct call_bill {
  bool known = false;
  llm::token_counts used;
  std::optional<llm::nano_money> money;
};
call_bill bill_of(const provider_end& e, const provider_plan& from);
// Adds the end of the call to the record.
void ended(call_record& r, const provider_end& e, const call_bill& bill, const std::string& currency, int64_t now_ns);

// Returns true if no other model would accept the request: the node goes without a candidate.
bool is_about_the_request(llm::failure_class c);
// Returns true if the provider refused the request for its form or its length, so that no model read it. A refused key
// or a full provider is not meant: the same request may succeed later.
bool was_never_read(llm::failure_class c);

} // namespace kevolve::synthesis
