#include "actors/models/provider_calls.hpp"

#include "actors/synthesis/session.hpp"
#include "backends/llm/protocol/tokens.hpp"
#include "backends/llm/protocol/tool_turn.hpp"
#include "runtime/base/codec.hpp"

#include <algorithm>

namespace kevolve::synthesis {

namespace {

// No model reads or writes so many tokens in one call; a larger figure is ignored.
constexpr int64_t most_plausible = 100'000'000;

std::optional<int64_t> known(int64_t count) {
  return count == unknown_count || count > most_plausible ? std::nullopt : std::optional<int64_t>{count};
}

std::optional<double> given(double x) {
  return x < 0.0 ? std::nullopt : std::optional<double>{x};
}

// Returns true if the request was refused or redirected before any work, which costs nothing.
bool cost_nothing(const provider_end& e) {
  return e.unsent || (!e.answered && !e.cancelled && e.figures.status >= 300);
}

} // namespace

result<std::string> body_of(const model_question& q, const provider_plan& to) {
  llm::request r;
  r.model = to.model;
  r.cache_system = true; // the same bytes for all of a campaign's prompts
  if (to.cache_key)
    r.cache_key = to_string(q.record.id.campaign);
  if (q.tools)
    r.tools = session_tools(q.code);
  for (const auto& t : q.turns) {
    if (t.role == "system") {
      r.system += t.text;
      continue;
    }
    auto m = llm::message_of(t.role, t.text);
    if (!m)
      return tl::unexpected(m.error());
    r.messages.push_back(std::move(*m));
  }
  r.max_tokens = q.terms.reply_tokens;
  r.max_tokens_name = to.access.max_tokens_name;
  r.temperature = given(q.terms.temperature);
  r.top_p = given(q.terms.top_p);
  return llm::encode_request(to.access.wire, r);
}

int64_t tokens_of(const model_question& q) {
  int64_t tokens = 0;
  for (const auto& t : q.turns)
    tokens += llm::estimate_tokens(t.text);
  if (q.tools)
    for (const auto& t : session_tools(q.code))
      tokens += llm::estimate_tokens(t.name + t.description + t.parameters);
  return tokens;
}

llm::call_size size_of(const model_question& q) {
  return {tokens_of(q), q.terms.reply_tokens};
}

llm::call_worst worst_of(const model_question& q, const llm::call_size& size, const provider_plan& to) {
  llm::call_worst w;
  w.input_tokens = llm::most_tokens(size.input_tokens, q.turns.size() + (q.tools ? session_tools(q.code).size() : 0));
  w.output_tokens = size.output_tokens;
  w.money = llm::worst_cost(llm::find_price(to.prices, to.model, ""), w.input_tokens, w.output_tokens);
  return w;
}

id128 reservation_of(const exchange_id& id, size_t attempt) {
  return derive_id("call", encode(id) + std::to_string(attempt));
}

call_record begun(const provider_plan& to, const std::string& body, const llm::call_worst& worst, uint64_t number,
                  int64_t now_ns) {
  call_record r;
  r.number = number;
  r.provider = to.name;
  r.model = to.model;
  r.request = sha256_hex(body);
  r.begun_ns = now_ns;
  r.reserved_tokens = worst.input_tokens + worst.output_tokens;
  r.reserved_money = worst.money.value_or(unknown_count);
  r.currency = to.prices.currency;
  r.terms = to.terms;
  return r;
}

call_bill bill_of(const provider_end& e, const provider_plan& from) {
  call_bill b;
  if (cost_nothing(e)) {
    b.known = true;
    b.used.input = b.used.output = 0;
    b.money = 0;
    return b;
  }
  b.used.input = known(e.figures.input_tokens);
  b.used.cached_read = known(e.figures.cached_tokens);
  b.used.cache_write = known(e.figures.cache_write_tokens);
  b.used.cache_write_1h = known(e.figures.cache_write_1h_tokens);
  b.used.output = known(e.figures.output_tokens);
  b.used.reasoning = known(e.figures.reasoning_tokens);
  // A reply with text has used tokens, so a count of 0 is treated as unknown.
  if (!e.text.empty() && (b.used.input.value_or(1) == 0 || b.used.output.value_or(1) == 0))
    b.used.input = b.used.output = std::nullopt;
  b.known = b.used.input && b.used.output;
  const auto& model = e.figures.model_answered.empty() ? from.model : e.figures.model_answered;
  const auto* price = llm::find_price(from.prices, model, e.service_tier);
  const bool has_tiers = std::any_of(from.prices.prices.begin(), from.prices.prices.end(),
                                     [](const auto& entry) { return entry.first.find('@') != std::string::npos; });
  if (price == nullptr && !has_tiers) // the settings know one price, whatever the tier
    price = llm::find_price(from.prices, model, "");
  b.money = llm::cost_of(price, b.used);
  return b;
}

void ended(call_record& r, const provider_end& e, const call_bill& bill, const std::string& currency, int64_t now_ns) {
  r.ended_ns = now_ns;
  r.outcome = e.answered ? "answered" : e.cancelled ? "cancelled" : to_string(e.what);
  r.detail = e.words;
  r.status = e.figures.status;
  r.first_content_us = e.figures.first_content_us;
  r.model_answered = e.figures.model_answered;
  r.finish = e.figures.finish;
  r.input_tokens = bill.used.input.value_or(unknown_count);
  r.cached_tokens = bill.used.cached_read.value_or(unknown_count);
  r.cache_write_tokens = bill.used.cache_write.value_or(unknown_count);
  r.cache_write_1h_tokens = bill.used.cache_write_1h.value_or(unknown_count);
  r.output_tokens = bill.used.output.value_or(unknown_count);
  r.reasoning_tokens = bill.used.reasoning.value_or(unknown_count);
  r.money = bill.money.value_or(unknown_count);
  r.currency = currency;
  if (!e.trace.empty())
    r.trace = sha256_hex(e.trace);
  if (!e.text.empty())
    r.text = sha256_hex(e.text);
}

bool was_never_read(llm::failure_class c) {
  return c == llm::failure_class::bad_request || c == llm::failure_class::too_large
         || c == llm::failure_class::context_too_long;
}

bool is_about_the_request(llm::failure_class c) {
  switch (c) {
    case llm::failure_class::bad_request:
    case llm::failure_class::too_large:
    case llm::failure_class::context_too_long:
    case llm::failure_class::content_refused:
    case llm::failure_class::output_truncated:
      return true;
    default:
      return false;
  }
}

} // namespace kevolve::synthesis
