#include "actors/append.hpp"

#include "runtime/base/log.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

namespace kevolve {

namespace {

using pointer = caf::stateful_actor<appender_state>*;

constexpr auto answer_limit = std::chrono::seconds{15};
constexpr auto retry_after = std::chrono::milliseconds{500};

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

void attempt(pointer self) {
  auto& st = self->state;
  self->request(st.journal, answer_limit, atom::append_v, st.request)
      .then(
          [self](uint64_t sequence) {
            auto& state = self->state;
            state.promise.deliver(sequence);
            self->quit();
          },
          [self](caf::error& e) {
            auto& state = self->state;
            auto why = to_failure(e);
            if (!worth_waiting(why.code)) {
              state.promise.deliver(std::move(e));
              self->quit();
              return;
            }
            auto is_disk = why.code == errc::no_space || why.code == errc::read_only || why.code == errc::io;
            if (!state.held_up && state.told && is_disk) {
              state.held_up = true;
              self->send(state.told, atom::faulted_v, uint64_t{0}, fault{"no_space", to_string(why), 0});
            }
            state.card->says("waiting: " + to_string(why));
            self->delayed_send(self, retry_after, atom::tick_v);
          });
}

} // namespace

// Stored, given up or killed: in no case does it hold anything up any longer.
appender_state::~appender_state() {
  if (held_up && told)
    caf::anon_send(told, atom::faulted_v, uint64_t{0}, fault{});
}

caf::behavior appender(pointer self, card_ptr card, journal_actor journal, caf::actor told, append_request request) {
  auto& st = self->state;
  st.card = std::move(card);
  st.journal = std::move(journal);
  st.told = std::move(told);
  st.request = std::move(request);
  report_exceptions(self);
  return {
      [self](atom::append) -> caf::result<uint64_t> {
        self->state.promise = self->make_response_promise<uint64_t>();
        attempt(self);
        return self->state.promise;
      },
      [self](atom::tick) { attempt(self); },
  };
}

} // namespace kevolve
