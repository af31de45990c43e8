// The life of one locked candidate process, from the clone to its end.
#pragma once

#include "backends/judge/zygote/library_copies.hpp"
#include "backends/judge/zygote/wire.hpp"
#include "runtime/base/sandbox.hpp"

namespace kevolve {

// Descriptors of a launch as the zygote received them.
struct launch_fds {
  int object = -1;
  int arena = -1;
  int command = -1;
};

// The same, where the child's sandbox expects them.
inline constexpr int child_command_fd = 3;
inline constexpr int child_object_fd = 4;

struct candidate_sandbox {
  sandbox loading;
  sandbox running;
};

// Locks itself, loads the object, serves calls; returns never. The lock is on before the object is touched:
// its constructors are as hostile as its entry.
[[noreturn]] void live_as_candidate(const wire::launch_request& request, const launch_fds& fds,
                                    const candidate_sandbox& locks, library_copies& libraries);

} // namespace kevolve
