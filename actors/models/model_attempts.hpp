// The models actor's work on one question: the choice of the provider, the attempt, its outcome, and its cost.
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

// Publishes which providers may be asked, on the actor's status and to the campaigns.
void tell(pointer self);

// Lets calls continue that wait for another call to end or for a provider to return.
void landed(pointer self);

// Starts the next attempt, waits, or ends the question. A call in progress is left alone.
void go_on(pointer self, const call_ptr& c);
// Ends a question without an answer. errc::bad_input: a model would not answer it; errc::cancelled: no provider
// accepted it; else errc::unavailable.
void give_up(pointer self, const call_ptr& c, const std::string& why);

// Returns the later calls that ask the same question while it is in progress: from a restarted generator.
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
  st.own_status->flight(-1);
  const auto heirs = heirs_of(st, c);
  for (const auto& heir : heirs) {
    heir->question.record = c->question.record; // the record as stored so far
    if constexpr (std::is_same_v<std::decay_t<T>, model_reply>)
      finish(self, heir, model_reply{answer});
  }
  if (!c->gone)
    c->promise.deliver(std::forward<T>(answer));
  tell(self);
  landed(self);
}

} // namespace kevolve::model_attempts
