// Appending that does not give up: while the disk refuses, it tries again and tells the campaign why it waits.
#pragma once

#include "actors/card.hpp"
#include "actors/interfaces.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <chrono>

namespace kevolve {

struct appender_state {
  static inline const char* name = "appender";
  card_ptr card;
  journal_actor journal;
  caf::actor told; // hears (atom::faulted, 0, fault) when writing is held up, with an empty fault when it goes on
  append_request request;
  caf::typed_response_promise<uint64_t> promise;
  bool held_up = false;

  ~appender_state();
};

// Lives for one request. Replies to (atom::append) with the sequence once it is stored. Errors that waiting
// does not mend (bad_input, corrupt) are passed on.
caf::behavior appender(caf::stateful_actor<appender_state>* self, card_ptr card, journal_actor journal, caf::actor told,
                       append_request request);

// Ends with the actor that asked. For actors: append(self, …).then(on_sequence, on_error). The answer may take as long
// as the disk is full.
template <class Self>
auto append(Self* self, const card_ptr& card, const journal_actor& journal, const caf::actor& told,
            append_request request) {
  auto helper = spawn_carded<caf::linked>(*self, card->table(), "appender", short_string(request.campaign), card->id(),
                                          appender, journal, told, std::move(request));
  return self->request(helper, std::chrono::minutes{24 * 60}, atom::append_v);
}

} // namespace kevolve
