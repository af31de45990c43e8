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

} // namespace kevolve
