#include "actors/compiler_worker.hpp"

namespace kevolve {

compiler_worker_actor::behavior_type
compiler_worker(compiler_worker_actor::stateful_pointer<compiler_worker_state> self, card_ptr card,
                helper_setup setup) {
  self->state.card = std::move(card);
  self->state.setup = std::move(setup);
  report_exceptions(self);
  helper_owner::watch_scheduler(self);
  helper_owner::start(self);
  return {
      [self](atom::compile, const lease& l, const compile_request& request) -> caf::result<compile_outcome> {
        handling h{self, self->state.card, "compile"};
        return helper_owner::take<compile_outcome>(self, frame_kind::compile_request, l, request);
      },
      [self](atom::cancel, const id128& job) {
        handling h{self, self->state.card, "cancel"};
        if (self->state.job == job && self->state.helper)
          self->state.helper->send(static_cast<uint8_t>(frame_kind::cancel), encode(helper_cancel{job}));
      },
      [self](atom::release, const lease& l) {
        handling h{self, self->state.card, "release"};
        helper_owner::released(self, l);
      },
      [self](atom::offer) { helper_owner::offer(self); },
      [self](atom::answer, uint8_t kind, const std::string& payload) {
        handling h{self, self->state.card, "answer"};
        helper_owner::answered<compile_outcome>(self, frame_kind::compile_outcome, kind, payload);
      },
      [self](atom::helper_end, int32_t status) {
        handling h{self, self->state.card, "helper_end"};
        helper_owner::ended<compile_outcome>(self, status);
      },
      [self](atom::tick, uint64_t generation) { helper_owner::expired(self, generation); },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
