// What the models actor does with one question: whom to ask, the attempt, what came of it, and what that cost.
#pragma once

#include "actors/models/models.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kevolve::model_attempts {

using pointer = models_actor::stateful_pointer<models_state>;
using call_ptr = models_state::call_ptr;

inline constexpr int64_t ns_per_ms = 1'000'000;
llm::instant now_of(const models_state& st);

// Shows what may be asked, on the card and to the campaigns.
void tell(pointer self);

// Those that wait for a call to land, or a provider to come back, look again.
void landed(pointer self);

// The next attempt, or a wait, or the end. What is under way already goes on by itself.
void go_on(pointer self, const call_ptr& c);
// No answer will come of it. errc::bad_input: a model would not answer it; errc::cancelled:
// none took it; else errc::unavailable.
void give_up(pointer self, const call_ptr& c, const std::string& why);

// Those that ask the same again while it is under way: a generator that came back.
std::vector<call_ptr> heirs_of(const models_state& st, const call_ptr& c);

template <class T>
void finish(pointer self, const call_ptr& c, T&& answer) {
  auto& st = self->state;
  if (st.calls.erase(c->serial) == 0)
    return;
  if (const auto same = st.asked.find(c->question.record.id); same->second.size() == 1)
    st.asked.erase(same);
  else
    same->second.erase(c->serial);
  st.waiting.erase(c->serial);
  c->then = nullptr;
  st.card->flight(-1);
  const auto heirs = heirs_of(st, c);
  for (const auto& heir : heirs) {
    heir->question.record = c->question.record; // what is stored by now
    if constexpr (std::is_same_v<std::decay_t<T>, model_reply>)
      finish(self, heir, model_reply{answer});
  }
  if (!c->gone)
    c->promise.deliver(std::forward<T>(answer));
  tell(self);
  landed(self);
}

} // namespace kevolve::model_attempts
