// The messages between a generator that asks a model and the actor that answers: for a provider, a person or a
// recording.
#pragma once

#include "actors/messages/exchange_records.hpp"
#include "actors/synthesis/answer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

struct model_turn {
  std::string role; // system | user | assistant, or of tool_turn.hpp
  std::string text;
};
// The settings of a question to a provider's model.
struct sampling_terms {
  std::vector<std::string> providers; // names, in the order in which they are tried; empty: all of the node's
  double temperature = -1.0;          // negative: the provider's default
  double top_p = -1.0;
  int64_t reply_tokens = 16'000;
  // Limits of the campaign; 0: no limit.
  int64_t most_tokens = 0;
  double most_cost = 0.0;
  bool may_wait = true; // waits for a suspended provider to return; otherwise the question is returned
};
// A question to a model or its substitute. The record is stored before the question is sent.
struct model_question {
  exchange_record record;
  std::vector<model_turn> turns;
  synthesis::answer_rules rules;
  sampling_terms terms;
  bool tools = false; // the model may call the tools of a session
  bool code = false;  // one of them searches code
};
struct model_reply {
  std::string text;
  bool called = false; // tools were called: the text is llm::calls_text
};
// A request to fetch a prompt from the relay.
struct relay_request {
  id128 campaign; // zero: any campaign
  std::string holder;
  int64_t lease_ns = 0;
};
// A prompt that waits for its answer.
struct relay_prompt {
  exchange_id id;
  int64_t tokens = 0;
  int64_t asked_ns = 0;
  std::string holder;
  int64_t held_until_ns = 0; // 0: not leased
  uint32_t handed_out = 0;
  std::vector<model_turn> turns; // only in the answer to a relay_request
};
struct relay_answer {
  exchange_id id;
  std::string text;
  std::string by;
  std::string model; // as given by the answerer
};
struct relay_receipt {
  exchange_id id;
  std::string outcome; // "candidate", or why it holds none; empty: not read yet
  std::string detail;
  bool repeated = false; // the same answer was stored already
};

template <class I>
typename I::result_type inspect(I& f, model_turn& x) {
  return f(x.role, x.text);
}
template <class I>
typename I::result_type inspect(I& f, sampling_terms& x) {
  return f(x.providers, x.temperature, x.top_p, x.reply_tokens, x.most_tokens, x.most_cost, x.may_wait);
}
template <class I>
typename I::result_type inspect(I& f, model_question& x) {
  return f(x.record, x.turns, x.rules, x.terms, x.tools, x.code);
}
template <class I>
typename I::result_type inspect(I& f, model_reply& x) {
  return f(x.text, x.called);
}
template <class I>
typename I::result_type inspect(I& f, relay_request& x) {
  return f(x.campaign, x.holder, x.lease_ns);
}
template <class I>
typename I::result_type inspect(I& f, relay_prompt& x) {
  return f(x.id, x.tokens, x.asked_ns, x.holder, x.held_until_ns, x.handed_out, x.turns);
}
template <class I>
typename I::result_type inspect(I& f, relay_answer& x) {
  return f(x.id, x.text, x.by, x.model);
}
template <class I>
typename I::result_type inspect(I& f, relay_receipt& x) {
  return f(x.id, x.outcome, x.detail, x.repeated);
}

} // namespace kevolve
