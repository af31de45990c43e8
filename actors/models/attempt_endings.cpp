#include "actors/models/attempt_endings.hpp"

#include "actors/campaign/append.hpp"
#include "actors/messages/promises.hpp"
#include "actors/models/model_budget.hpp"
#include "actors/models/provider_calls.hpp"
#include "actors/synthesis/answer.hpp"
#include "actors/synthesis/exchange.hpp"
#include "backends/llm/protocol/tool_turn.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace kevolve::model_attempts {

namespace {

constexpr llm::milliseconds again{2'000};

// Stores the result of a paid call and retries until it succeeds. Each try writes the current state of the ledgers.
void store(pointer self, const call_ptr& c, const std::function<append_request()>& make,
           const std::function<void()>& then) {
  c->storing = true;
  self->request(self->state.setup.journal, until_answered, atom::append_v, make())
      .then(
          [self, c, then](uint64_t) {
            if (!self->state.calls.contains(c->serial))
              return;
            c->storing = false;
            self->state.setup.board->ended(event_of(self->state, c));
            then();
          },
          [self, c, make, then](caf::error& e) {
            if (worth_waiting(to_failure(e).code))
              later(self, c, again, [self, c, make, then] { store(self, c, make, then); });
            else
              finish(self, c, std::move(e));
          });
}

append_request end_of_call(models_state& st, const call_ptr& c, const std::string& text, const std::string& trace) {
  auto write = write_of(st, c, event_kind::model_call_ended);
  for (const auto& blob : {text, trace})
    if (!blob.empty())
      write.blobs.push_back(blob);
  return write;
}

void took_answer(pointer self, const call_ptr& c, const provider_end& e) {
  const auto kept = std::make_shared<const provider_end>(e);
  const auto& stated = c->question.record.calls.back();
  const synthesis::given_answer given{e.text, stated.provider, stated.model_answered, self->state.setup.now_ns(),
                                      e.called};
  const auto make = [self, c, kept, given] {
    auto write = synthesis::answered(c->question.record, given, c->question.tools ? nullptr : &c->question.rules);
    auto call = end_of_call(self->state, c, {}, kept->trace);
    // the record is there already
    std::move(call.values.begin() + 1, call.values.end(), std::back_inserter(write.values));
    std::move(call.events.begin(), call.events.end(), std::back_inserter(write.events));
    std::move(call.blobs.begin(), call.blobs.end(), std::back_inserter(write.blobs));
    return write;
  };
  store(self, c, make, [self, c, kept] { finish(self, c, model_reply{kept->text, kept->called}); });
}

void took_failure(pointer self, const call_ptr& c, size_t provider, const provider_end& e, const llm::remedy& r) {
  auto& st = self->state;
  const auto decision = llm::after_failure(c->way, provider, r, now_of(st));
  c->last = r.what;
  took_nothing(self, c, e, [self, c, decision, provider] {
    const auto& name = self->state.setup.sources[provider].plan.name;
    if (c->gone)
      finish(self, c, to_error({errc::cancelled, "withdrawn"}));
    else if (decision.step == llm::call_step::give_up)
      give_up(self, c, name + ": " + decision.reason);
    else if (decision.step == llm::call_step::send_again) {
      c->backs_off = provider;
      later(self, c, decision.at - now_of(self->state), [self, c] { go_on(self, c); });
    } else
      go_on(self, c);
  });
}

// Holds a provider that refuses several requests in a row, because it probably refuses all of them.
void mind_bad_requests(models_state& st, size_t provider, const provider_end& e, llm::remedy& r) {
  const bool refused = e.what == llm::failure_class::content_refused;
  const uint32_t most_in_a_row = refused ? 6 : 3; // models refuse a single request now and then
  auto& [what, in_a_row] = st.bad_requests[provider];
  const bool theirs = e.what == llm::failure_class::bad_request; // another provider may accept it
  if (!theirs && !refused && e.what != llm::failure_class::too_large
      && e.what != llm::failure_class::context_too_long) {
    in_a_row = e.answered ? 0 : in_a_row;
    return;
  }
  in_a_row = e.what == what ? in_a_row + 1 : 1;
  what = e.what;
  if (in_a_row < most_in_a_row) {
    if (theirs)
      r.action = llm::failure_action::next_provider;
    return;
  }
  r.action = llm::failure_action::hold_provider;
  r.words += "; " + std::to_string(in_a_row) + " requests in a row were refused so";
}

void note_health(pointer self, const call_ptr& c, size_t provider, const provider_end& e, const llm::remedy& r) {
  auto& st = self->state;
  auto& health = st.health[provider];
  if (e.answered)
    llm::ended_well(health, c->epoch, e.headers, now_of(st));
  else if (e.cancelled)
    llm::ended_unheard(health, c->epoch);
  else
    llm::ended_badly(health, c->epoch, r, e.headers, now_of(st));
  tell(self);
}

} // namespace

void later(pointer self, const call_ptr& c, llm::milliseconds wait, std::function<void()> then) {
  c->timer = ++self->state.last_timer;
  c->then = std::move(then);
  self->delayed_send(self, std::max(llm::milliseconds{0}, wait), atom::tick_v, c->timer);
}

void took_nothing(pointer self, const call_ptr& c, const provider_end& e, const std::function<void()>& then) {
  const auto kept = std::make_shared<const provider_end>(e);
  store(self, c, [self, c, kept] { return end_of_call(self->state, c, kept->text, kept->trace); }, then);
}

void ended(pointer self, const call_ptr& c, provider_end& e) {
  auto& st = self->state;
  const auto provider = *std::exchange(c->at, std::nullopt);
  const auto& plan = st.setup.sources[provider].plan;
  if (e.called && !c->question.tools) { // no tools were offered, so its words are the answer
    auto said = llm::parse_calls(e.text);
    e.text = said ? std::move(said->words) : std::string{};
    e.called = false;
  }
  // A reply cut off at its token limit may still be complete.
  if (e.what == llm::failure_class::output_truncated && !e.called
      && synthesis::parse_answer(e.text, c->question.rules, true))
    e.answered = true;
  const auto bill = synthesis::bill_of(e, plan);
  synthesis::ended(c->question.record.calls.back(), e, bill, plan.prices.currency, st.setup.now_ns());
  settle(st, c, provider, bill, e.unsent ? 0 : e.resent ? 2 : 1);
  llm::remedy r;
  r.what = e.what;
  r.action = e.action;
  if (e.delay_ms != unknown_count)
    r.delay = llm::milliseconds{e.delay_ms};
  r.words = e.words;
  mind_bad_requests(st, provider, e, r);
  note_health(self, c, provider, e, r);
  if (e.answered)
    took_answer(self, c, e);
  else if (e.cancelled || c->gone)
    took_nothing(self, c, e, [self, c] { finish(self, c, to_error({errc::cancelled, "withdrawn"})); });
  else
    took_failure(self, c, provider, e, r);
  landed(self);
}

} // namespace kevolve::model_attempts
