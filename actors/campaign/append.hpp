// Appends without giving up: while the disk refuses, it tries again and tells the campaign why it waits.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/interfaces.hpp"
#include "actors/messages/promises.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <memory>
#include <utility>

namespace kevolve {

struct appender_state {
  static inline const char* name = "appender";
  actor_status_ptr own_status;
  journal_actor journal;
  caf::actor told; // hears (atom::faulted, 0, fault) when writing is held up, with an empty fault when it goes on
  append_request request;
  failure first; // why the journal refused before
  caf::typed_response_promise<uint64_t> promise;
  bool held_up = false;

  ~appender_state();
};

// Lives for one request that the journal refused once. It replies to (atom::append) with the sequence once the request
// is stored. Errors that waiting does not mend are passed on.
caf::behavior appender(caf::stateful_actor<appender_state>* self, actor_status_ptr own_status, journal_actor journal,
                       caf::actor told, append_request request, failure first);

// Tells if waiting may mend the error: a full disk, or a journal that restarts.
bool worth_waiting(errc code);

// Calls on_sequence(uint64_t), or on_error(caf::error&) with what waiting does not mend, in the actor's context. That
// may take as long as the disk is full; the waiting ends with the actor that asked.
template <class Self, class F, class G>
void append(Self* self, const actor_status_ptr& own_status, const journal_actor& journal, const caf::actor& told,
            append_request request, F on_sequence, G on_error) {
  auto kept = std::make_shared<append_request>(std::move(request));
  self->request(journal, until_answered, atom::append_v, *kept)
      .then([on_sequence](uint64_t sequence) mutable { on_sequence(sequence); },
            [self, own_status, journal, told, kept, on_sequence, on_error](caf::error& e) mutable {
              auto why = to_failure(e);
              if (!worth_waiting(why.code)) {
                on_error(e);
                return;
              }
              auto helper = spawn_tracked<caf::linked>(*self, own_status->table(), "appender",
                                                       short_string(kept->campaign), own_status->id(), appender,
                                                       journal, told, std::move(*kept), std::move(why));
              self->request(helper, until_answered, atom::append_v).then(on_sequence, on_error);
            });
}

} // namespace kevolve
