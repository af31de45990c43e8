// A compiler slot: owns one compile server.
#pragma once

#include "actors/devices/helper_owner.hpp"

namespace kevolve {

struct compiler_worker_state : helper_owner_state<compile_outcome> {
  static inline const char* name = "compiler-worker";
};

compiler_worker_actor::behavior_type
compiler_worker(compiler_worker_actor::stateful_pointer<compiler_worker_state> self, actor_status_ptr own_status,
                helper_setup setup);

} // namespace kevolve
