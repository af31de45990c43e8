// Locks a process that will run or read hostile text: Landlock, seccomp, rlimits, no_new_privs, namespaces. prepare()
// does everything that allocates, once. lock() is then a few system calls, so a freshly cloned child may call it before
// it touches anything hostile.
#pragma once

#include "runtime/base/confinement.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// The layers that this machine offers to a candidate of the calling user, found by trying them in short-lived children.
struct sandbox_support {
  int landlock_abi = 0; // 0 if the kernel has no Landlock
  bool seccomp = false;
  std::string level; // "landlock7+seccomp+rlimits+cgroup+netns+ipcns+utsns+mntns+pidns+uid65533+nocaps"
  std::map<std::string, missing_layer> missing;
};
// Tries the layers on this machine.
sandbox_support detect_sandbox();

// Returns why native candidates are refused at this level, and what to do; empty if they are not. `done_without` names
// layers that the operator allows to be missing.
std::string refusal_of_level(const std::string& level, const std::vector<std::string>& done_without);

// The system calls that remain allowed. A profile refuses every call that it does not list.
enum class sandbox_profile : uint8_t {
  compiler,  // files below the policy's paths, fork and exec; no new socket, no signal to other processes
  framework, // the compiler's calls, and those that an interpreter with a device's driver needs besides
  loading,   // memory, read-only opens (for dlopen of a memfd), the command socket; may switch to `running`
  running,   // memory and the command socket; opening a file is a violation
  replaying, // running, where the sanitizers' run time asks for files and pipes, which it is refused
};

struct sandbox_policy {
  sandbox_profile profile = sandbox_profile::compiler;
  // Files and folders to read, list and (compiler) execute; missing ones are skipped. /proc/self is that of the process
  // which calls lock().
  std::vector<std::string> readable;
  std::vector<std::string> writable; // the same rights, and create, write, rename and remove below them
  std::vector<std::string> devices;  // device files to read, write and ioctl
  bool allow_threads = false;        // loading, running: allows new threads
  uint64_t memory_bytes = 0;         // limit of the address space; 0: no limit
  uint32_t cpu_seconds = 0;          // 0: no limit
  uint64_t file_size_bytes = 0;      // size of the largest file it may write; 0: none at all
  uint32_t open_files = 64;
  std::vector<int> keep_fds = {0, 1, 2}; // every other descriptor is closed by lock()
  int command_fd = 3;                    // loading, running: the only descriptor besides 0, 1 and 2 that it may read
                                         // and write
  int parent_pid = 0;                    // the process dies with this parent (PDEATHSIG); 0: it does not
  bool parent_outside = false;           // the parent lives outside our pid namespace, where its pid has no meaning
};

class sandbox {
public:
  // Builds the seccomp program and the Landlock rules. errc::unsupported if libseccomp cannot start a filter. Without
  // Landlock it continues, and level() shows it.
  static result<sandbox> prepare(const sandbox_policy& policy);

  // Locks the calling thread and all its future children for good: closes descriptors, sets limits, PDEATHSIG,
  // no_new_privs, Landlock, seccomp. Call it while single-threaded. On failure the process must exit.
  result<void> lock() const;
  // The profile `running` or `replaying` is added to `loading` in two steps: pin before loading.lock(), lock after the
  // object is loaded. The pinned program is where `loading` allows no writes, and no other program may be installed.
  result<void> pin_syscalls() const;
  result<void> lock_pinned_syscalls() const;

  const std::string& level() const; // "landlock7+seccomp+rlimits"

private:
  result<void> lock_syscalls() const;

  struct prepared;
  std::shared_ptr<const prepared> prepared_;
};

// Installs a handler for SIGSYS, which a refused system call raises. In the profiles loading and running it stores the
// call's number in *number, which may be shared memory, and lets the process die of SIGSYS. Call it before lock().
void record_violations(volatile int64_t* number);

// Returns the name of a system call of this architecture, such as "socket"; its number as text if unknown.
std::string system_call_name(int64_t number);

// Prevents other processes of the same user from reading this one's memory through /proc or ptrace.
void hide_memory();

} // namespace kevolve
