#include "actors/models/relay.hpp"

#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/synthesis/exchange.hpp"
#include "runtime/base/codec.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace kevolve {

namespace {

using relay_pointer = relay_actor::stateful_pointer<relay_state>;
using receipt_promise = caf::typed_response_promise<relay_receipt>;

void tell(relay_state& st) {
  st.own_status->says(std::to_string(st.items.size()) + " waiting");
}

relay_prompt prompt_of(const exchange_record& r) {
  return {r.id, r.tokens, r.asked_ns, r.holder, r.held_until_ns, r.handed_out, {}};
}

failure unknown(const exchange_id& id) {
  return {errc::not_found, "there is no prompt " + to_string(id)};
}

failure under_way(const exchange_id& id) {
  return {errc::conflict, "prompt " + to_string(id) + " is being answered"};
}

caf::result<model_reply> ask(relay_pointer self, model_question& q) {
  auto& st = self->state;
  const auto id = q.record.id;
  auto asker = caf::actor_cast<caf::actor_addr>(self->current_sender());
  if (st.watched.insert(asker).second)
    self->monitor(asker);
  auto promise = self->make_response_promise<model_reply>();
  if (auto heard = st.unheard.extract(id)) {
    promise.deliver(model_reply{std::move(heard.mapped())});
    return promise;
  }
  if (auto known = st.items.find(id); known != st.items.end())
    abandon(known->second.promise, "who asked before"); // a restarted generator of the same name asks again
  const bool being_answered = st.being_stored.contains(id);
  if (!being_answered)
    st.queue.put(prompt_of(q.record));
  st.items[id] = {std::move(q), std::move(asker), promise, being_answered};
  tell(st);
  return promise;
}

// The lease outlives this actor, so that the prompt is not given to another holder after a restart.
void record_lease(relay_pointer self, exchange_record& r, const relay_prompt& p) {
  r.holder = p.holder;
  r.held_until_ns = p.held_until_ns;
  r.handed_out = p.handed_out;
  self->request(self->state.journal, until_answered, atom::append_v, synthesis::leased(r))
      .then([](uint64_t) {}, [](caf::error&) {}); // if it is lost, a second holder may answer in vain
}

caf::result<relay_prompt> next(relay_pointer self, const relay_request& who) {
  auto& st = self->state;
  const auto* taken = st.queue.take(who, st.now_ns());
  if (taken == nullptr) {
    const auto asked_for = [&](const auto& i) { return !who.campaign || i.first.campaign == who.campaign; };
    return to_error({errc::not_found, std::any_of(st.items.begin(), st.items.end(), asked_for)
                                          ? "every prompt that waits is held"
                                          : "no prompt waits"});
  }
  auto& question = st.items.at(taken->id).question;
  record_lease(self, question.record, *taken);
  auto out = *taken;
  out.turns = question.turns;
  return out;
}

void stored(relay_pointer self, const exchange_record& r, const std::string& text, receipt_promise promise) {
  auto& st = self->state;
  promise.deliver(synthesis::receipt_of(r));
  auto i = st.items.find(r.id);
  if (i == st.items.end()) { // a repeated question finds the answer in the journal, or has just looked before it was
                             // stored
    constexpr size_t most_unheard = 64;
    if (st.unheard.size() >= most_unheard)
      st.unheard.clear();
    st.unheard[r.id] = text;
    return;
  }
  i->second.promise.deliver(model_reply{text});
  st.queue.erase(r.id);
  st.items.erase(i);
  tell(st);
}

// The answer could not be stored, for example on a full disk. The answerer keeps it and may try again.
void not_stored(relay_pointer self, const exchange_id& id, const caf::error& why, receipt_promise promise) {
  auto& st = self->state;
  if (auto i = st.items.find(id); i != st.items.end()) {
    i->second.being_answered = false;
    st.queue.put(prompt_of(i->second.question.record));
  }
  promise.deliver(why);
}

// The prompt is removed from the queue: a lease recorded after the answer would overwrite it.
void answer_waiting(relay_pointer self, relay_state::item& item, const relay_answer& a, receipt_promise promise) {
  if (std::exchange(item.being_answered, true)) {
    promise.deliver(to_error(under_way(a.id)));
    return;
  }
  self->state.queue.erase(a.id);
  auto kept = std::make_shared<exchange_record>(item.question.record);
  auto write = synthesis::answered(*kept, {a.text, a.by, a.model, self->state.now_ns()}, &item.question.rules);
  self->request(self->state.journal, until_answered, atom::append_v, std::move(write))
      .then([self, kept, text = a.text, promise](uint64_t) { stored(self, *kept, text, promise); },
            [self, kept, promise](caf::error& e) { not_stored(self, kept->id, e, promise); });
}

// Answers a prompt that is only in the journal: it was answered before, or its campaign does not run.
void answer_stored(relay_pointer self, const relay_answer& a, exchange_record r, receipt_promise promise) {
  if (r.answered) {
    auto receipt = synthesis::receipt_of(r);
    receipt.repeated = true;
    if (r.reply == sha256_hex(a.text))
      promise.deliver(std::move(receipt));
    else
      promise.deliver(to_error({errc::conflict, "prompt " + to_string(r.id) + " has its answer, by " + r.answered_by}));
    return;
  }
  if (!self->state.being_stored.insert(r.id).second) {
    promise.deliver(to_error(under_way(r.id)));
    return;
  }
  auto kept = std::make_shared<exchange_record>(std::move(r));
  auto write = synthesis::answered(*kept, {a.text, a.by, a.model, self->state.now_ns()}, nullptr);
  self->request(self->state.journal, until_answered, atom::append_v, std::move(write))
      .then(
          [self, kept, text = a.text, promise](uint64_t) {
            self->state.being_stored.erase(kept->id);
            stored(self, *kept, text, promise);
          },
          [self, kept, promise](caf::error& e) {
            self->state.being_stored.erase(kept->id);
            not_stored(self, kept->id, e, promise);
          });
}

caf::result<relay_receipt> answer(relay_pointer self, relay_answer& a) {
  auto& st = self->state;
  auto promise = self->make_response_promise<relay_receipt>();
  if (auto i = st.items.find(a.id); i != st.items.end()) {
    answer_waiting(self, i->second, a, promise);
    return promise;
  }
  auto given = std::make_shared<relay_answer>(std::move(a));
  self->request(st.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::exchange(given->id))
      .then(
          [self, given, promise](std::string& bytes) mutable {
            auto& items = self->state.items;
            auto record = decode_older<exchange_record>(bytes);
            if (!record)
              promise.deliver(to_error(record.error()));
            else if (auto i = items.find(given->id); i != items.end() && !record->answered) // asked meanwhile
              answer_waiting(self, i->second, *given, promise);
            else
              answer_stored(self, *given, std::move(*record), promise);
          },
          [given, promise](caf::error& e) mutable {
            promise.deliver(to_failure(e).code == errc::not_found ? to_error(unknown(given->id)) : e);
          });
  return promise;
}

caf::result<relay_prompt> return_resource(relay_pointer self, const exchange_id& id, const std::string& holder) {
  auto& st = self->state;
  const auto* p = st.queue.find(id);
  if (p == nullptr)
    return to_error(unknown(id));
  if (!st.queue.return_resource(id, holder, st.now_ns()))
    return to_error({errc::conflict, synthesis::is_held(*p, st.now_ns())
                                         ? "prompt " + to_string(id) + " is held by '" + p->holder + "'"
                                         : "nobody holds prompt " + to_string(id)});
  record_lease(self, st.items.at(id).question.record, *p);
  return *p;
}

auto drop(relay_state& st, std::map<exchange_id, relay_state::item>::iterator i) {
  abandon(i->second.promise, "the question");
  st.queue.erase(i->first);
  auto next = st.items.erase(i);
  tell(st);
  return next;
}

void went_down(relay_state& st, const caf::actor_addr& who) {
  st.watched.erase(who);
  for (auto i = st.items.begin(); i != st.items.end();)
    i = i->second.asker == who ? drop(st, i) : std::next(i);
}

} // namespace

relay_state::~relay_state() {
  for (auto& [id, i] : items)
    abandon(i.promise, "the relay");
}

relay_actor::behavior_type relay(relay_pointer self, actor_status_ptr own_status, journal_actor journal,
                                 std::function<int64_t()> now_ns) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.journal = std::move(journal);
  st.now_ns = std::move(now_ns);
  report_exceptions(self);
  self->set_down_handler([self](caf::down_msg& m) { went_down(self->state, m.source); });
  tell(st);
  return {
      [self](atom::ask, model_question& q) {
        handling h{self, self->state.own_status, "ask"};
        return ask(self, q);
      },
      [self](atom::cancel, const exchange_id& id) {
        handling h{self, self->state.own_status, "cancel"};
        auto& state = self->state;
        if (auto i = state.items.find(id); i != state.items.end() && !i->second.being_answered)
          drop(state, i);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
      [self](atom::next, const relay_request& who) {
        handling h{self, self->state.own_status, "next"};
        return next(self, who);
      },
      [self](atom::answer, relay_answer& a) {
        handling h{self, self->state.own_status, "answer"};
        return answer(self, a);
      },
      [self](atom::release, const exchange_id& id, const std::string& holder) {
        handling h{self, self->state.own_status, "release"};
        return return_resource(self, id, holder);
      },
      [self](atom::list) { return self->state.queue.list(self->state.now_ns()); },
  };
}

} // namespace kevolve
