// The life of one sandboxed candidate process, from the clone to its end.
#pragma once

#include "backends/judge/zygote/library_copies.hpp"
#include "backends/judge/zygote/wire.hpp"
#include "runtime/base/sandbox.hpp"

namespace kevolve {

// The descriptors of a launch as received by the zygote.
struct launch_fds {
  int object = -1;
  int arena = -1;
  int command = -1;
};

// The same descriptors at the numbers that the child's sandbox expects.
inline constexpr int child_command_fd = 3;
inline constexpr int child_object_fd = 4;

struct candidate_sandbox {
  sandbox loading;
  sandbox running;
};

// Enters the sandbox, loads the object and serves calls; never returns. The sandbox is entered before the object is
// touched, since its constructors are as hostile as its entry.
[[noreturn]] void live_as_candidate(const wire::launch_request& request, const launch_fds& fds,
                                    const candidate_sandbox& locks, library_copies& libraries);

} // namespace kevolve
