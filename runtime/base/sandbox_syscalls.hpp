// The seccomp half of the sandbox: one allow-list per profile, compiled once into the kernel's program, so that a
// cloned child only installs it.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/base/sandbox.hpp"

#include <linux/filter.h>

#include <vector>

namespace kevolve {

// A compiled program. Comparisons with own_pid_placeholder stand for the pid of the process that installs it.
using system_call_program = std::vector<sock_filter>;
inline constexpr uint32_t own_pid_placeholder = 0x5ead1e55;

// Compiles the profile of the policy. errc::unsupported if libseccomp cannot start a filter.
result<system_call_program> compile_system_call_program(const sandbox_policy& policy);

// Installs the program in the calling thread, which must have no_new_privs set. Returns 0 or errno.
int install_system_call_program(const system_call_program& program);

// Installs the program in two steps, between which hostile code may run. The pinned program is read-only and lies below
// every address that profile `loading` lets memory calls name, so that code cannot change or replace it. The second
// step installs it in all threads. Both return 0 or errno.
int pin_system_call_program(const system_call_program& program);
int install_pinned_system_call_program();

} // namespace kevolve
