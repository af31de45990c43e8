#include "actors/synthesis/exchange.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"

namespace kevolve::synthesis {

namespace {

append_request record_of(const exchange_record& r) {
  append_request a;
  a.campaign = r.id.campaign;
  a.values.push_back({keys::index, keys::exchange(r.id), encode(r)});
  return a;
}

} // namespace

append_request asked(model_question& q) {
  auto& r = q.record;
  r.turns.clear();
  std::vector<std::string> blobs;
  for (const auto& t : q.turns) {
    r.turns.push_back({t.role, sha256_hex(t.text)});
    blobs.push_back(t.text);
  }
  auto a = record_of(r);
  a.blobs = std::move(blobs);
  a.events.push_back({event_kind::model_asked, encode(exchange_event{r.id, r.kind, r.tokens, "", "", ""})});
  return a;
}

append_request answered(exchange_record& r, const given_answer& given, const answer_rules* rules) {
  r.answered = true;
  r.reply = sha256_hex(given.text);
  r.answered_ns = given.at_ns;
  r.answered_by = given.by;
  r.model = given.model;
  if (!r.purpose.empty()) {
    r.outcome = r.purpose;
  } else if (given.called) {
    r.outcome = called_tools;
  } else if (rules != nullptr) {
    const auto read = parse_answer(given.text, *rules);
    r.outcome = read ? "candidate" : to_string(read.error().what);
    r.detail = read ? read->summary : read.error().detail;
  }
  r.holder.clear();
  r.held_until_ns = 0;
  auto a = record_of(r);
  a.blobs.push_back(given.text);
  a.events.push_back(
      {event_kind::model_answered, encode(exchange_event{r.id, r.kind, r.tokens, r.answered_by, r.outcome, r.detail})});
  return a;
}

append_request leased(const exchange_record& r) {
  auto a = record_of(r);
  a.may_lag = true;
  return a;
}

relay_receipt receipt_of(const exchange_record& r) {
  return {r.id, r.outcome, r.detail, false};
}

} // namespace kevolve::synthesis
