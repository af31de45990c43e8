// The stored questions to models and their answers: they show, exact to the byte, how a node's source came to be. Plain
// values. A new field goes at the end.
#pragma once

#include "actors/messages/retrieval_record.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// The id of one question and its answer. After a restart the same node asks the same generator under the same id.
struct exchange_id {
  id128 campaign;
  uint64_t node = 0;
  uint32_t generator = 0; // its index in the campaign's list
  uint32_t round = 0;     // 0: the prompt; each later round answers a reply with the results of its calls, or with what
                          // is wrong

  auto operator<=>(const exchange_id&) const = default;
};
// No node asks more rounds: a session has at most a hundred tool calls.
inline constexpr uint32_t most_rounds = 128;
// The round of the question for a diagnosis, which is asked before round 0.
inline constexpr uint32_t diagnosis_round = most_rounds - 1;
inline constexpr const char* diagnosis_purpose = "diagnosis";
// The round of the question that puts a node's gain into words, once it is judged.
inline constexpr uint32_t distil_round = most_rounds - 2;
inline constexpr const char* distil_purpose = "distil";
// Returns "<32 digits>-17-0-1", for people and paths.
std::string to_string(const exchange_id& x);
// Parses the text of to_string(); errc::bad_input.
result<exchange_id> parse_exchange_id(std::string_view text);

struct turn_record {
  std::string role; // system | user | assistant | calls | result
  std::string text; // blob
};
// The outcome of a reply that calls tools.
inline constexpr const char* called_tools = "calls";

// The use of a part of the prompt's budget.
struct part_record {
  std::string name;
  int64_t tokens = 0; // by estimate
  int64_t budget = 0;
  uint64_t left_out = 0; // in bytes
};

// One request to one provider. Counts that were not reported are unknown_count; so is a cost without a price.
inline constexpr int64_t unknown_count = -1;
struct call_record {
  uint64_t number = 0;  // position in the campaign, from 1
  std::string provider; // its name in the node's settings
  std::string model;    // as requested
  std::string request;  // blob: the body as sent
  int64_t begun_ns = 0; // wall clock, since the epoch
  int64_t reserved_tokens = 0;
  int64_t reserved_money = unknown_count; // billionths of the currency
  std::string terms;                      // the operator's tag of the provider: the permitted use of the text
  // The end of the call. It is missing if the node went down meanwhile.
  int64_t ended_ns = 0;
  std::string outcome; // "answered", "lost", or the class of the failure
  std::string detail;
  int32_t status = 0; // HTTP status; 0: no response
  int64_t first_content_us = unknown_count;
  std::string model_answered;
  std::string finish;
  int64_t input_tokens = unknown_count;
  int64_t cached_tokens = unknown_count;
  int64_t cache_write_tokens = unknown_count; // for any duration
  int64_t cache_write_1h_tokens = unknown_count;
  int64_t output_tokens = unknown_count;
  int64_t reasoning_tokens = unknown_count;
  int64_t money = unknown_count;
  std::string currency;
  std::string trace; // blob: token ids and logprobs as JSON, if the server gave them
  std::string text;  // blob: the answer's text, complete or not
};

struct exchange_record {
  exchange_id id;
  std::string kind; // kind of the generator: relay
  std::vector<turn_record> turns;
  std::vector<part_record> parts;
  int64_t tokens = 0;   // of the turns, by estimate
  int64_t asked_ns = 0; // wall clock, since the epoch
  // The members below describe the answer.
  bool answered = false;
  std::string reply; // blob
  int64_t answered_ns = 0;
  std::string answered_by; // the name that the answerer gave
  std::string model;       // as given by the answerer or provider
  std::string outcome;     // "candidate", called_tools, or the class of the refusal; empty: the storing actor did not
                           // read it
  std::string detail;
  // The members below describe the relay's lease.
  std::string holder;
  int64_t held_until_ns = 0;
  uint32_t handed_out = 0;
  // For a provider's model.
  std::vector<call_record> calls;
  std::string purpose;  // "diagnosis": it asks for one; "distil": for a gain in words; empty: for a candidate
  report_record report; // on the parent; the prompt quotes it
  std::vector<retrieval_record> retrievals; // of the documents that the prompt quotes
};

// The payload of the events about an exchange.
struct exchange_event {
  exchange_id id;
  std::string kind;
  int64_t tokens = 0;
  std::string by;
  std::string outcome;
  std::string detail;
};

// The spending on models.
struct model_spending {
  uint64_t calls = 0;
  int64_t tokens = 0;          // input and output; the reserved tokens if the usage was not reported
  int64_t output_tokens = 0;   // the reported output of these
  int64_t money = 0;           // billionths of the currency
  uint64_t unpriced_calls = 0; // calls of unknown cost: `money` is too low
  std::string currency;
};

// The payload of the events about a call. The event of its end includes the campaign's spending so far.
struct call_event {
  exchange_id id;
  call_record call;
  model_spending spent;
};

template <class I>
typename I::result_type inspect(I& f, exchange_id& x) {
  return f(x.campaign, x.node, x.generator, x.round);
}
template <class I>
typename I::result_type inspect(I& f, turn_record& x) {
  return f(x.role, x.text);
}
template <class I>
typename I::result_type inspect(I& f, part_record& x) {
  return f(x.name, x.tokens, x.budget, x.left_out);
}
template <class I>
typename I::result_type inspect(I& f, call_record& x) {
  return f(x.number, x.provider, x.model, x.request, x.begun_ns, x.reserved_tokens, x.reserved_money, x.terms,
           x.ended_ns, x.outcome, x.detail, x.status, x.first_content_us, x.model_answered, x.finish, x.input_tokens,
           x.cached_tokens, x.cache_write_tokens, x.cache_write_1h_tokens, x.output_tokens, x.reasoning_tokens, x.money,
           x.currency, x.trace, x.text);
}
template <class I>
typename I::result_type inspect(I& f, exchange_record& x) {
  return f(x.id, x.kind, x.turns, x.parts, x.tokens, x.asked_ns, x.answered, x.reply, x.answered_ns, x.answered_by,
           x.model, x.outcome, x.detail, x.holder, x.held_until_ns, x.handed_out, x.calls, x.purpose, x.report,
           x.retrievals);
}
template <class I>
typename I::result_type inspect(I& f, model_spending& x) {
  return f(x.calls, x.tokens, x.output_tokens, x.money, x.unpriced_calls, x.currency);
}
template <class I>
typename I::result_type inspect(I& f, call_event& x) {
  return f(x.id, x.call, x.spent);
}
template <class I>
typename I::result_type inspect(I& f, exchange_event& x) {
  return f(x.id, x.kind, x.tokens, x.by, x.outcome, x.detail);
}

} // namespace kevolve
