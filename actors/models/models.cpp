#include "actors/models/models.hpp"

#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/models/model_budget.hpp"
#include "runtime/base/printable.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace kevolve {

namespace {

using namespace model_attempts;

void withdraw(pointer self, const call_ptr& c);

template <class Which>
void withdraw_all(pointer self, Which which) {
  std::vector<call_ptr> wanted; // a copy, because withdrawing may remove a call
  for (const auto& [serial, c] : self->state.calls)
    if (!c->gone && which(*c))
      wanted.push_back(c);
  for (const auto& c : wanted)
    withdraw(self, c);
}

// Returns why a ledger that the question needs cannot be read; empty if all can.
std::string damage(const models_state& st, const std::vector<std::string>& ledgers) {
  for (const auto& key : ledgers)
    if (auto d = st.damaged.find(key); d != st.damaged.end())
      return "what was spent cannot be read (" + printable(key) + "): " + d->second;
  return {};
}

caf::result<model_reply> ask(pointer self, model_question& q) {
  auto& st = self->state;
  const auto same = st.asked.find(q.record.id); // from a restarted generator of the same name
  const auto earlier = same != st.asked.end() ? same->second : std::set<uint64_t>{};
  for (const auto serial : earlier)
    if (const auto old = st.calls.find(serial); old != st.calls.end() && !old->second->gone)
      withdraw(self, call_ptr{old->second});
  drop_ledgers_of_the_left(st);
  auto c = std::make_shared<models_state::call>();
  c->serial = ++st.last_serial;
  c->question = std::move(q);
  c->asker = caf::actor_cast<caf::actor_addr>(self->current_sender());
  if (st.watched.insert(c->asker).second)
    self->monitor(c->asker);
  c->promise = self->make_response_promise<model_reply>();
  auto& record = c->question.record;
  c->way.begun = now_of(st);
  c->size = synthesis::size_of(c->question);
  c->way.seed = record.id.node * most_rounds + record.id.round;
  st.calls[c->serial] = c;
  st.asked[record.id].insert(c->serial);
  st.own_status->flight(1);
  std::vector<std::string> needed{keys::spent_by(record.id.campaign)};
  for (const auto& s : st.setup.sources)
    needed.push_back(keys::spent_with(s.plan.name));
  auto left = std::make_shared<size_t>(needed.size());
  for (const auto& key : needed)
    with_ledger(self, key, [self, c, left, needed] {
      if (--*left != 0)
        return;
      if (auto why = damage(self->state, needed); !why.empty())
        finish(self, c, to_error({errc::corrupt, std::move(why)}));
      else
        go_on(self, c);
    });
  tell(self);
  return c->promise;
}

void withdraw(pointer self, const call_ptr& c) {
  auto& st = self->state;
  if (c->at || c->storing) { // the end of the call settles its cost
    c->gone = true;
    if (c->promise.pending())
      c->promise.deliver(to_error({errc::cancelled, "withdrawn"}));
    if (c->at)
      self->send(st.setup.sources[*c->at].proxy, atom::cancel_v, c->serial);
    return;
  }
  finish(self, c, to_error({errc::cancelled, "withdrawn"}));
}

provider_status status_of(const models_state& st, size_t i) {
  const auto& plan = st.setup.sources[i].plan;
  const auto& h = st.health[i];
  const auto now = now_of(st);
  provider_status s;
  s.name = plan.name;
  s.kind = plan.kind;
  s.model = plan.model;
  s.currency = plan.prices.currency;
  s.in_flight = static_cast<uint64_t>(h.pacing.in_flight);
  s.state = "ready";
  if (const auto rest = llm::rest_of(h, now)) {
    s.state = rest->until ? "resting" : "on hold";
    s.reason = rest->because;
    s.until_ns = rest->until ? rest->until->time_since_epoch().count() * ns_per_ms : 0;
  } else if (h.pacing.not_before > now) {
    s.state = "resting";
    s.reason = "it asked for a pause";
    s.until_ns = h.pacing.not_before.time_since_epoch().count() * ns_per_ms;
  }
  if (auto l = st.ledgers.find(keys::spent_with(plan.name)); l != st.ledgers.end()) {
    s.calls = static_cast<uint64_t>(l->second.spent.calls);
    s.tokens = l->second.spent.tokens;
    s.output_tokens = l->second.output_tokens;
    s.money = l->second.spent.money;
    s.unpriced_calls = static_cast<uint64_t>(l->second.unpriced_calls);
  }
  return s;
}

caf::result<provider_status> resume(pointer self, const std::string& name) {
  auto& st = self->state;
  for (size_t i = 0; i < st.health.size(); ++i)
    if (st.health[i].name == name) {
      llm::resume(st.health[i]);
      st.bad_requests.erase(i);
      model_attempts::hold_if_used_up(self, i);
      tell(self);
      const auto all = st.calls;
      for (const auto& [serial, c] : all)
        if (st.waiting.contains(serial) || c->backs_off == i) // others wait for another provider
          go_on(self, c);
      return status_of(st, i);
    }
  std::string all;
  for (const auto& h : st.health)
    all += (all.empty() ? "" : ", ") + h.name;
  return to_error(
      {errc::not_found, "this node has no provider '" + name + "'; it has: " + (all.empty() ? "none" : all)});
}

} // namespace

models_state::~models_state() {
  for (auto& [serial, c] : calls) {
    c->then = nullptr; // it holds the call
    abandon(c->promise, "the models");
  }
}

models_actor::behavior_type models(pointer self, actor_status_ptr own_status, models_setup setup) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.setup = std::move(setup);
  for (const auto& s : st.setup.sources) {
    llm::provider_health h;
    h.name = s.plan.name;
    h.rules = s.plan.pacing;
    st.health.push_back(std::move(h));
    with_ledger(self, keys::spent_with(s.plan.name), [] {});
  }
  report_exceptions(self);
  self->set_down_handler([self](caf::down_msg& m) {
    self->state.watched.erase(m.source);
    withdraw_all(self, [&](const models_state::call& c) { return c.asker == m.source; });
  });
  tell(self);
  return {
      [self](atom::ask, model_question& q) {
        handling h{self, self->state.own_status, "ask"};
        return ask(self, q);
      },
      [self](atom::cancel, const exchange_id& id) {
        handling h{self, self->state.own_status, "cancel"};
        withdraw_all(self, [&](const models_state::call& c) { return c.question.record.id == id; });
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
      [self](atom::list) {
        std::vector<provider_status> out;
        for (size_t i = 0; i < self->state.setup.sources.size(); ++i)
          out.push_back(status_of(self->state, i));
        return out;
      },
      [self](atom::resume, const std::string& name) {
        handling h{self, self->state.own_status, "resume"};
        return resume(self, name);
      },
      [self](atom::tick, uint64_t timer) {
        handling h{self, self->state.own_status, "tick"};
        if (timer == 0)
          self->state.looks_again.reset();
        tell(self); // a suspension may be over
        const auto all = self->state.calls;
        for (const auto& [serial, c] : all)
          if (timer != 0 && c->timer == timer) {
            c->timer = 0;
            if (auto then = std::exchange(c->then, nullptr))
              then();
          }
      },
  };
}

} // namespace kevolve
