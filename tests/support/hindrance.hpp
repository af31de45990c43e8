// Simulates restricted machines: removes a system call or the user's privileges from a process and its children.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

namespace kevolve {

// Makes the system call `number` fail with `error` if its first argument has one of `bits`; bits 0: always.
inline void forbid(long number, unsigned bits, unsigned error) {
  std::array<sock_filter, 6> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, static_cast<unsigned char>(bits == 0 ? 0 : 1)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  sock_fprog code{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code) != 0)
    _exit(126);
}

inline void forbid_user_namespaces() {
  forbid(SYS_unshare, CLONE_NEWUSER, EPERM);
  forbid(SYS_clone, CLONE_NEWUSER, EPERM);
}
inline void lose_landlock() {
  forbid(SYS_landlock_create_ruleset, 0, ENOSYS);
}
// Needs root. Changes the calling thread only, whereas the C library's function would change all threads.
inline void become_nobody() {
  constexpr unsigned nobody = 65534;
  if (syscall(SYS_setgroups, 0, nullptr) != 0 || syscall(SYS_setresgid, nobody, nobody, nobody) != 0
      || syscall(SYS_setresuid, nobody, nobody, nobody) != 0)
    _exit(126);
}

} // namespace kevolve
