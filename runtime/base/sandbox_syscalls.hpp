// The seccomp half of the sandbox: one allow-list per profile, compiled once to the kernel's program so that
// a cloned child only installs it.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/base/sandbox.hpp"

#include <linux/filter.h>

#include <vector>

namespace kevolve {

// A compiled program. Comparisons with own_pid_placeholder stand for the pid of the process that installs it.
using system_call_program = std::vector<sock_filter>;
inline constexpr uint32_t own_pid_placeholder = 0x5ead1e55;

result<system_call_program> compile_system_call_program(const sandbox_policy& policy);

// Installs it in the calling thread, which has no_new_privs set. Returns 0 or errno.
int install_system_call_program(const system_call_program& program);

// The same in two steps, with hostile code between them that profile `loading` keeps from changing or replacing the
// pinned program: it lies, read-only, below every address that profile lets memory calls name. The second step
// installs it in all threads.
int pin_system_call_program(const system_call_program& program);
int install_pinned_system_call_program();

} // namespace kevolve
