// The messages between the models actor, which decides, and the actor of one provider, which talks to it.
#pragma once

#include "actors/messages/exchange_records.hpp"
#include "backends/llm/protocol/failure.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

// One attempt.
struct provider_request {
  uint64_t serial = 0; // number given by the asker; identifies the attempt for a cancel
  std::string body;
  bool stream = true;
  bool fresh = false; // uses a new connection: a kept one may be dead, and the request would be sent twice
};

// The end of an attempt. It never contains a secret, whatever the server sent.
struct provider_end {
  bool answered = false;
  bool cancelled = false;
  bool unsent = false; // nothing was sent
  bool resent = false; // sent twice, because a kept connection was dead
  llm::failure_class what = llm::failure_class::none;
  llm::failure_action action = llm::failure_action::retry;
  int64_t delay_ms = unknown_count;
  std::string words;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string text;
  bool called = false; // tools were called: the text is llm::calls_text
  std::string trace;   // token ids and logprobs as JSON; empty if none were given
  std::string service_tier;
  call_record figures; // only the answer's figures: status, model_answered, finish, tokens, first_content_us
};

// A provider's status for operators.
struct provider_status {
  std::string name;
  std::string kind;
  std::string model;
  std::string state; // ready | resting | on hold
  std::string reason;
  int64_t until_ns = 0; // end of the suspension
  uint64_t in_flight = 0;
  uint64_t calls = 0; // in total
  int64_t tokens = 0;
  int64_t output_tokens = 0;
  int64_t money = 0;           // billionths of the currency
  uint64_t unpriced_calls = 0; // calls of unknown cost: `money` is too low
  std::string currency;
};

template <class I>
typename I::result_type inspect(I& f, provider_request& x) {
  return f(x.serial, x.body, x.stream, x.fresh);
}
template <class I>
typename I::result_type inspect(I& f, provider_end& x) {
  return f(x.answered, x.cancelled, x.unsent, x.resent, x.what, x.action, x.delay_ms, x.words, x.headers, x.text,
           x.called, x.trace, x.service_tier, x.figures);
}
template <class I>
typename I::result_type inspect(I& f, provider_status& x) {
  return f(x.name, x.kind, x.model, x.state, x.reason, x.until_ns, x.in_flight, x.calls, x.tokens, x.output_tokens,
           x.money, x.unpriced_calls, x.currency);
}

} // namespace kevolve
