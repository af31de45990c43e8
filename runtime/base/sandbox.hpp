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
sandbox_support detect_sandbox();

// Returns why native candidates are refused at this level, and what to do; empty if they are not. `done_without` names
// layers that the operator allows to be missing.
std::string refusal_of_level(const std::string& level, const std::vector<std::string>& done_without);

// The system calls that remain. A profile refuses every call that it does not list.
enum class sandbox_profile : uint8_t {
  compiler,  // files below the policy's paths, fork and exec; no new socket, no signal to others
  framework, // as compiler, and what an interpreter with a device's driver asks for besides
  loading,   // memory, read-only opens (for dlopen of a memfd), the command socket; may go on to `running`
  running,   // memory and the command socket; opening a file is a violation
};

struct sandbox_policy {
  sandbox_profile profile = sandbox_profile::compiler;
  std::vector<std::string> readable; // files and folders: read, list and (compiler) execute. Absent ones are skipped
  std::vector<std::string> writable; // as readable, and create, write, rename, remove below
  std::vector<std::string> devices;  // device files: read, write, ioctl
  bool allow_threads = false;        // loading, running: may start threads
  uint64_t memory_bytes = 0;         // address space; 0: no limit
  uint32_t cpu_seconds = 0;          // 0: no limit
  uint64_t file_size_bytes = 0;      // largest file it may write; 0: none at all
  uint32_t open_files = 64;
  std::vector<int> keep_fds = {0, 1, 2}; // every other descriptor is closed by lock()
  int command_fd = 3;                    // loading, running: the one descriptor besides 0, 1, 2 it may read and write
  int parent_pid = 0;                    // die with this parent (PDEATHSIG); 0: do not
  bool parent_outside = false;           // it lives outside of our pid namespace, where its number says nothing
};

class sandbox {
public:
  // Builds the seccomp program and the Landlock rules. errc::unsupported only if the kernel lacks seccomp;
  // without Landlock it goes on, and level() says so.
  static result<sandbox> prepare(const sandbox_policy& policy);

  // Locks the calling thread and all it will start, for good: closes descriptors, sets limits, PDEATHSIG,
  // no_new_privs, Landlock, seccomp. Call it single-threaded. On failure the process must exit.
  result<void> lock() const;
  // The profile `running` goes on top of `loading` in two steps: pin before loading.lock(), lock when the object
  // is loaded. What was pinned lies where profile `loading` lets nobody write, and it alone may be installed.
  result<void> pin_syscalls() const;
  result<void> lock_pinned_syscalls() const;

  const std::string& level() const; // "landlock7+seccomp+rlimits"

private:
  result<void> lock_syscalls() const;

  struct prepared;
  std::shared_ptr<const prepared> prepared_;
};

// A refused system call raises SIGSYS. In profiles loading and running this handler stores its number in
// *number (shared with whoever wants to know) and lets the process die of SIGSYS; install it before lock().
void record_violations(volatile int64_t* number);

// The name of a system call of this architecture: "socket"; the number's digits if unknown.
std::string system_call_name(int64_t number);

// Keeps other processes of the same user from reading this one's memory through /proc or ptrace.
void hide_memory();

} // namespace kevolve
