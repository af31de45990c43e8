#include "actors/models/model_budget.hpp"

#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"

#include <algorithm>

namespace kevolve::model_attempts {

namespace {

constexpr const char* no_call_fits = ": no call fits into it, raise it or lower the generator's reply_tokens";

// Settles calls that were open when the node went down at their highest possible cost.
void close_open(llm::ledger& l) {
  const auto open = l.open;
  for (const auto& [id, r] : open)
    (void)llm::settle(l, id, nullptr, std::nullopt);
}

llm::ledger& spent_by(models_state& st, const call_ptr& c) {
  return st.ledgers[keys::spent_by(c->question.record.id.campaign)];
}
llm::ledger& spent_with(models_state& st, size_t provider) {
  return st.ledgers[keys::spent_with(st.setup.sources[provider].plan.name)];
}

llm::budget_rules rules_of(const sampling_terms& t) {
  caps_spec caps;
  caps.cost = t.most_cost;
  caps.tokens = t.most_tokens;
  llm::budget_rules out;
  out.total = caps_of(caps);
  return out;
}

id128 reservation(const call_ptr& c) {
  return synthesis::reservation_of(c->question.record.id, c->question.record.calls.size());
}

// Holds a provider whose budget is used up: until tomorrow, or until a person resumes it.
void hold_for_budget(pointer self, size_t provider, const llm::call_worst& worst, const std::string& why) {
  auto& st = self->state;
  const auto now = now_of(st);
  auto& health = st.health[provider];
  health.held = true;
  health.held_because = why;
  const auto& rules = st.setup.sources[provider].plan.budget;
  auto without_days = rules;
  without_days.per_day = {};
  auto copy = spent_with(st, provider);
  llm::ledger fresh;
  const bool fits = llm::reserve(fresh, rules, id128{1, 1}, worst, now).has_value();
  const bool fits_tomorrow = fits && llm::reserve(copy, without_days, id128{1, 1}, worst, now);
  if (!fits)
    health.held_because += no_call_fits;
  health.held_until.reset();
  if (fits_tomorrow)
    health.held_until = std::chrono::floor<std::chrono::days>(now) + std::chrono::days{1};
  tell(self);
}

// Returns true while an answer of the campaign is being stored. The campaign must get a paid answer before it is told
// that its budget is used up.
bool an_answer_is_stored(const models_state& st, const id128& campaign) {
  return std::any_of(st.calls.begin(), st.calls.end(), [&](const auto& c) {
    return c.second->storing && c.second->question.record.id.campaign == campaign;
  });
}

} // namespace

// A refusal is final only if no call is open, because open reservations may be released.
reserved reserve(pointer self, const call_ptr& c, size_t provider, llm::call_worst worst) {
  auto& st = self->state;
  const auto now = now_of(st);
  const auto id = reservation(c);
  auto& own = spent_by(st, c);
  auto& theirs = spent_with(st, provider);
  // A request over a dead kept connection is sent twice. If the budget has no room for that, a new connection is used.
  auto twice = worst;
  twice.calls = 2;
  c->fresh = !llm::fits(own, rules_of(c->question.terms), twice, now)
             || !llm::fits(theirs, st.setup.sources[provider].plan.budget, twice, now);
  worst.calls = c->fresh ? 1 : 2;
  if (auto fits = llm::reserve(own, rules_of(c->question.terms), id, worst, now); !fits) {
    if (!own.open.empty() || an_answer_is_stored(st, c->question.record.id.campaign))
      return reserved::later;
    worst.calls = 1;
    llm::ledger fresh;
    auto why = "for language models " + fits.error().detail;
    if (!llm::reserve(fresh, rules_of(c->question.terms), id, worst, now))
      why += no_call_fits;
    st.setup.board->spent_out(c->question.record.id.campaign, why);
    finish(self, c, to_error({errc::unavailable, why}));
    return reserved::no;
  }
  if (auto fits = llm::reserve(theirs, st.setup.sources[provider].plan.budget, id, worst, now); !fits) {
    (void)llm::release(own, id);
    if (!theirs.open.empty())
      return reserved::later;
    worst.calls = 1;
    hold_for_budget(self, provider, worst, fits.error().detail);
    return reserved::elsewhere;
  }
  return reserved::yes;
}

void hold_if_used_up(pointer self, size_t provider) {
  auto& st = self->state;
  llm::call_worst least;
  least.money = 0;
  auto copy = spent_with(st, provider);
  if (auto fits = llm::reserve(copy, st.setup.sources[provider].plan.budget, id128{1, 1}, least, now_of(st));
      !fits && copy.open.empty())
    hold_for_budget(self, provider, least, fits.error().detail);
}

void release(models_state& st, const call_ptr& c, size_t provider) {
  const auto id = reservation(c);
  (void)llm::release(spent_by(st, c), id);
  (void)llm::release(spent_with(st, provider), id);
}

void settle(models_state& st, const call_ptr& c, size_t provider, const synthesis::call_bill& bill, int64_t requests) {
  const auto id = synthesis::reservation_of(c->question.record.id, c->question.record.calls.size() - 1);
  for (auto* l : {&spent_by(st, c), &spent_with(st, provider)})
    (void)llm::settle(*l, id, bill.known ? &bill.used : nullptr, bill.money, requests);
}

uint64_t number_of(models_state& st, const call_ptr& c) {
  auto& own = spent_by(st, c);
  const auto at_least = own.spent.calls + static_cast<int64_t>(own.open.size()); // older ledgers used this number
  own.last_number = std::max(own.last_number + 1, at_least);
  return static_cast<uint64_t>(own.last_number);
}

call_event event_of(models_state& st, const call_ptr& c) {
  const auto& own = spent_by(st, c);
  const auto& call = c->question.record.calls.back();
  return {c->question.record.id, call,
          model_spending{static_cast<uint64_t>(own.spent.calls), own.spent.tokens, own.output_tokens, own.spent.money,
                         static_cast<uint64_t>(own.unpriced_calls), call.currency}};
}

append_request write_of(models_state& st, const call_ptr& c, event_kind kind) {
  const auto& r = c->question.record;
  const auto& call = r.calls.back();
  const auto& own = spent_by(st, c);
  append_request a;
  a.campaign = r.id.campaign;
  a.values.push_back({keys::index, keys::exchange(r.id), encode(r)});
  a.values.push_back({keys::index, keys::spent_by(r.id.campaign), encode(own)});
  a.values.push_back(
      {keys::index, keys::spent_with(call.provider), encode(st.ledgers[keys::spent_with(call.provider)])});
  a.events.push_back({kind, encode(event_of(st, c))});
  return a;
}

void drop_ledgers_of_the_left(models_state& st) {
  for (const auto& campaign : st.setup.board->take_left())
    if (std::none_of(st.calls.begin(), st.calls.end(),
                     [&](const auto& c) { return c.second->question.record.id.campaign == campaign; }))
      st.ledgers.erase(keys::spent_by(campaign));
}

void with_ledger(pointer self, const std::string& key, std::function<void()> then) {
  auto& st = self->state;
  if (st.ledgers.contains(key)) {
    then();
    return;
  }
  auto& waiting = st.reading[key];
  waiting.push_back(std::move(then));
  if (waiting.size() > 1)
    return;
  const auto ready = [self, key](llm::ledger l) {
    self->state.ledgers[key] = std::move(l);
    for (auto& f : std::exchange(self->state.reading[key], {}))
      f();
    self->state.reading.erase(key);
  };
  self->request(st.setup.journal, until_answered, atom::lookup_v, std::string{keys::index}, key)
      .then(
          [self, key, ready](std::string& bytes) {
            auto l = decode_older<llm::ledger>(bytes);
            if (l)
              close_open(*l);
            else // caps that cannot be checked allow no call
              self->state.damaged[key] = l.error().detail;
            ready(l ? std::move(*l) : llm::ledger{});
          },
          [self, key, ready](caf::error& e) {
            if (to_failure(e).code == errc::not_found)
              ready({});
            else // without the ledger nothing may be spent; the asker asks again
              self->quit(std::move(e));
          });
}

} // namespace kevolve::model_attempts
