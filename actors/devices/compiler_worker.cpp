#include "actors/devices/compiler_worker.hpp"

namespace kevolve {

compiler_worker_actor::behavior_type
compiler_worker(compiler_worker_actor::stateful_pointer<compiler_worker_state> self, actor_status_ptr own_status,
                helper_setup setup) {
  return helper_owner::behave<compiler_worker_actor, compile_outcome, compile_request, atom::compile>(
      self, std::move(own_status), std::move(setup), "compile", frame_kind::compile_request,
      frame_kind::compile_outcome);
}

} // namespace kevolve
