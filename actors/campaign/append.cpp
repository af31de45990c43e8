#include "actors/campaign/append.hpp"

#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/log.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <chrono>

namespace kevolve {

namespace {

using appender_pointer = caf::stateful_actor<appender_state>*;

constexpr auto retry_after = std::chrono::milliseconds{500};

// Waits before the next attempt; the campaign hears of a disk that refuses.
void held_up(appender_pointer self, const failure& why) {
  auto& st = self->state;
  auto is_disk = why.code == errc::no_space || why.code == errc::read_only || why.code == errc::io;
  if (!st.held_up && st.told && is_disk) {
    st.held_up = true;
    self->send(st.told, atom::faulted_v, uint64_t{0}, fault{fault_kind::no_space, to_string(why), 0});
  }
  st.own_status->says("waiting: " + to_string(why));
  self->delayed_send(self, retry_after, atom::tick_v);
}

void attempt(appender_pointer self) {
  auto& st = self->state;
  self->request(st.journal, until_answered, atom::append_v, st.request)
      .then(
          [self](uint64_t sequence) {
            self->state.promise.deliver(sequence);
            self->quit();
          },
          [self](caf::error& e) {
            auto why = to_failure(e);
            if (worth_waiting(why.code)) {
              held_up(self, why);
              return;
            }
            self->state.promise.deliver(std::move(e));
            self->quit();
          });
}

} // namespace

bool worth_waiting(errc code) {
  switch (code) {
    case errc::bad_input:
    case errc::corrupt:
    case errc::newer_format:
    case errc::internal:
      return false;
    default:
      return true;
  }
}

// Tells the campaign that the append no longer holds it up: it was stored, given up or killed.
appender_state::~appender_state() {
  if (held_up && told)
    caf::anon_send(told, atom::faulted_v, uint64_t{0}, fault{});
}

caf::behavior appender(appender_pointer self, actor_status_ptr own_status, journal_actor journal, caf::actor told,
                       append_request request, failure first) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.journal = std::move(journal);
  st.told = std::move(told);
  st.request = std::move(request);
  st.own_status->about(short_string(st.request.campaign));
  st.first = std::move(first);
  report_exceptions(self);
  return {
      [self](atom::append) -> caf::result<uint64_t> {
        self->state.promise = self->make_response_promise<uint64_t>();
        held_up(self, self->state.first);
        return self->state.promise;
      },
      [self](atom::tick) { attempt(self); },
  };
}

} // namespace kevolve
