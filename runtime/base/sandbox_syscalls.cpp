#include "runtime/base/sandbox_syscalls.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>

namespace kevolve {

namespace {

// Memory, time and questions about the process itself: nothing here reaches outside the process.
constexpr const char* harmless[] = {
    "read",
    "close",
    "lseek",
    "brk",
    "exit",
    "exit_group",
    "rt_sigprocmask",
    "rt_sigreturn",
    "clock_gettime",
    "clock_getres",
    "gettimeofday",
    "time",
    "sched_getaffinity",
    "getcpu",
    "getrandom",
    "getpid",
    "gettid",
    "getppid",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getrusage",
    "times",
    "uname",
    "sysinfo",
    "restart_syscall",
    "sigaltstack",
    "set_robust_list",
    "rseq",
    "fstat",
    "getcwd",
};

// A pinned program lies at the lowest addresses that an ordinary process may map. A mapping that would cover it
// therefore begins below pin_end.
constexpr uint64_t pin_begin = 0x10000;
constexpr uint64_t pin_end = 0x20000;

// Libraries make these calls out of habit and can handle a refusal, so the process is not killed.
struct refused_call {
  const char* name;
  int error;
};
constexpr refused_call politely_refused[] = {
    {"ioctl", ENOTTY},
    {"fcntl", EPERM},
    {"readlink", EACCES},
    {"readlinkat", EACCES},
    {"access", EACCES},
    {"faccessat", EACCES},
    {"faccessat2", EACCES},
    {"stat", EACCES},
    {"statx", ENOSYS},
    {"clone3", ENOSYS},
    {"membarrier", ENOSYS},
    {"sched_setaffinity", 0}, // reported as done: OpenMP's runtime ends the process if it is refused
    {"getpriority", EPERM},
    {"mbind", EPERM},
    {"set_mempolicy", EPERM},
    {"get_mempolicy", EPERM},
    // mremap could map more of the shared memory than was given; realloc copies instead.
    {"mremap", ENOMEM},
};

// Calls that the sanitizers' run time makes when it reports: it looks for its own program and its mappings, and tests
// addresses with a pipe. It reports without them.
constexpr refused_call refused_to_sanitizers[] = {
    {"open", EACCES},
    {"openat", EACCES},
    {"pipe", EPERM},
    {"pipe2", EPERM},
};

// Calls that compilers and linkers need besides. Landlock bounds files; new sockets are absent from this list.
constexpr const char* compiler_calls[] = {
    "madvise",
    "mremap",
    "munmap",
    "write",
    "readv",
    "writev",
    "pread64",
    "pwrite64",
    "preadv",
    "pwritev",
    "open",
    "openat",
    "creat",
    "stat",
    "lstat",
    "newfstatat",
    "statx",
    "statfs",
    "fstatfs",
    "access",
    "faccessat",
    "faccessat2",
    "getdents64",
    "readlink",
    "readlinkat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "ftruncate",
    "truncate",
    "fallocate",
    "chmod",
    "fchmod",
    "fchmodat",
    "umask",
    "fcntl",
    "flock",
    "dup",
    "dup2",
    "dup3",
    "pipe",
    "pipe2",
    "sendfile",
    "copy_file_range",
    "fadvise64",
    "utimensat",
    "futimesat",
    "chdir",
    "fchdir",
    "symlink",
    "symlinkat",
    "link",
    "linkat",
    "mmap",
    "mprotect",
    "ioctl",
    "poll",
    "ppoll",
    "select",
    "pselect6",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "epoll_pwait",
    "eventfd2",
    "memfd_create",
    "fork",
    "vfork",
    "clone",
    "execve",
    "execveat",
    "wait4",
    "waitid",
    "rt_sigaction",
    "rt_sigtimedwait",
    "rt_sigsuspend",
    "pause",
    "prctl",
    "arch_prctl",
    "set_tid_address",
    "prlimit64",
    "getrlimit",
    "setrlimit",
    "getpgrp",
    "getpgid",
    "getsid",
    "setsid",
    "setpgid",
    "getpriority",
    "sched_getparam",
    "sched_getscheduler",
    "sched_setaffinity",
    "seccomp",
    "landlock_restrict_self",
    "sendmsg",
    "recvmsg",
    "sendto",
    "recvfrom",
    "shutdown",
    "getsockopt",
    "close_range",
    "fsync",
    "fdatasync",
    "mincore",
    "msync",
    "getgroups",
    "getresuid",
    "getresgid",
    "setitimer",
    "alarm",
    "timer_create",
    "timer_settime",
    "timer_delete",
    "futex_waitv",
    "futex",
    "nanosleep",
    "clock_nanosleep",
    "sched_yield",
};

// Calls that an interpreter with a device's driver needs besides: socket pairs, the placement of its memory, the
// scheduling of its threads.
constexpr const char* framework_calls[] = {
    "socketpair",
    "getsockname",
    "setsockopt",
    "bind",
    "listen",
    "eventfd",
    "mbind",
    "get_mempolicy",
    "set_mempolicy",
    "membarrier",
    "mlock",
    "munlock",
    "sched_setscheduler",
    "sched_get_priority_max",
    "sched_get_priority_min",
    "timerfd_create",
    "timerfd_settime",
    "set_thread_area",
};

// Replaces the macros of seccomp.h, whose C99 literals clang rejects in C++. Arguments are compared as 64-bit
// registers, so a kernel `int` with other bits above it does not compare equal.
constexpr scmp_arg_cmp when(unsigned argument, scmp_compare op, uint64_t a, uint64_t b = 0) {
  return {argument, op, a, b};
}

// Ends the process if it touches SIGSYS: a handler of its own would hide violations from record_violations(). Written
// by hand, because the kernel looks only at the low half of the argument and libseccomp has no masked "not equal". It
// stands before the allow-list; jumps are relative.
constexpr auto low_half = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0U : 4U;
constexpr sock_filter guard_of_sigsys[] = {
    {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, SYS_rt_sigaction},
    {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, args) + low_half},
    {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SIGSYS},
    {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
};

// Collects rules and remembers the first error, so that the lists below need no error checks.
class builder {
public:
  explicit builder(uint32_t default_action) : context_(seccomp_init(default_action)) {
    // Asks for a tree instead of a list: the kernel walks the program once for every system call when it is installed.
    // This is a good part of the cost of launching a process. An older library keeps its list.
    if (context_ != nullptr)
      seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2);
  }
  builder(const builder&) = delete;
  builder& operator=(const builder&) = delete;
  ~builder() { seccomp_release(context_); }

  bool usable() const { return context_ != nullptr; }
  int error() const { return error_; }
  scmp_filter_ctx context() const { return context_; }

  void rule(uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    auto number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR)
      return; // unknown to this libseccomp, so it stays refused
    auto rc =
        seccomp_rule_add_array(context_, action, number, static_cast<unsigned>(conditions.size()), conditions.begin());
    // A rule with the default action is not needed; libseccomp answers EACCES to it.
    if (rc != 0 && rc != -EACCES && error_ == 0)
      error_ = -rc;
  }
  void allow(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    rule(SCMP_ACT_ALLOW, name, conditions);
  }

private:
  scmp_filter_ctx context_;
  int error_ = 0;
};

// A driver listens on a socket of its own for processes that are never started here. It may not connect: this machine's
// services listen on such sockets too, and Landlock has no rule for them.
void driver_rules(builder& b) {
  for (auto* name : framework_calls)
    b.allow(name);
  b.allow("socket", {when(0, SCMP_CMP_EQ, AF_UNIX), when(1, SCMP_CMP_MASKED_EQ, 0xf, SOCK_SEQPACKET)});
  b.rule(SCMP_ACT_ERRNO(ECONNREFUSED), "connect");
}

void compiler_rules(builder& b, sandbox_profile profile) {
  for (auto* name : harmless)
    b.allow(name);
  for (auto* name : compiler_calls)
    b.allow(name);
  if (profile == sandbox_profile::framework)
    driver_rules(b);
  // A filter cannot read the arguments of clone3; if it is missing, the C library falls back to clone.
  b.rule(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  b.allow("tgkill", {when(0, SCMP_CMP_EQ, own_pid_placeholder)});
}

// Calls that give up the core.
constexpr const char* waiting[] = {"futex", "nanosleep", "clock_nanosleep", "sched_yield"};

// A single thread has no other thread to wait for. By sleeping it could only pretend that other processes kept it from
// its core, and so have a slow call measured again.
void wait_for_nobody(builder& b) {
  constexpr uint64_t operation = 0x7f; // without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME
  for (auto wake : {FUTEX_WAKE, FUTEX_WAKE_OP, FUTEX_WAKE_BITSET, FUTEX_UNLOCK_PI})
    b.allow("futex", {when(1, SCMP_CMP_MASKED_EQ, operation, static_cast<uint64_t>(wake))});
  for (auto wait : {FUTEX_WAIT, FUTEX_WAIT_BITSET})
    b.rule(SCMP_ACT_ERRNO(EAGAIN), "futex", {when(1, SCMP_CMP_MASKED_EQ, operation, static_cast<uint64_t>(wait))});
  b.rule(SCMP_ACT_ERRNO(EPERM), "nanosleep");
  b.rule(SCMP_ACT_ERRNO(EPERM), "clock_nanosleep");
  b.rule(SCMP_ACT_ERRNO(0), "sched_yield");
}

void candidate_rules(builder& b, const sandbox_policy& policy) {
  const bool loading = policy.profile == sandbox_profile::loading;
  for (auto* name : harmless)
    b.allow(name);
  for (const auto& call : politely_refused)
    b.rule(SCMP_ACT_ERRNO(static_cast<uint16_t>(call.error)), call.name);
  if (policy.profile == sandbox_profile::replaying)
    for (const auto& call : refused_to_sanitizers)
      b.rule(SCMP_ACT_ERRNO(static_cast<uint16_t>(call.error)), call.name);

  // printf may flush into /dev/null; the only other descriptor is the command socket.
  for (auto fd : {1, 2, policy.command_fd})
    b.allow("write", {when(0, SCMP_CMP_EQ, static_cast<uint32_t>(fd))});
  for (auto fd : {1, 2})
    b.allow("writev", {when(0, SCMP_CMP_EQ, static_cast<uint32_t>(fd))});
  // AT_EMPTY_PATH does not prevent a path from being given, so only `loading`, which needs the call, has it; stdio
  // works without.
  b.rule(loading ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EACCES), "newfstatat",
         {when(3, SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, AT_EMPTY_PATH)});
  b.rule(SCMP_ACT_ERRNO(EACCES), "newfstatat", {when(3, SCMP_CMP_MASKED_EQ, AT_EMPTY_PATH, 0)});
  b.allow("munmap", {when(0, SCMP_CMP_GE, pin_end)});
  // free() needs this advice. Other advice punches holes into shared memory or gives one process larger pages.
  b.allow("madvise", {when(0, SCMP_CMP_GE, pin_end), when(2, SCMP_CMP_LE, MADV_FREE)});
  b.rule(SCMP_ACT_ERRNO(EINVAL), "madvise", {when(2, SCMP_CMP_GT, MADV_FREE)});
  b.allow("prlimit64", {when(0, SCMP_CMP_EQ, 0), when(2, SCMP_CMP_EQ, 0)});
  // Only abort() is allowed: a process that can kill or stop itself could pass for one that was killed from outside.
  b.allow("tgkill", {when(0, SCMP_CMP_EQ, own_pid_placeholder), when(2, SCMP_CMP_EQ, SIGABRT)});
  b.allow("prctl", {when(0, SCMP_CMP_EQ, PR_SET_NAME)});
  b.allow("prctl", {when(0, SCMP_CMP_EQ, 0x53564d41)}); // PR_SET_VMA: newer C libraries name their heaps

  b.rule(loading ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM), "rt_sigaction");

  if (policy.allow_threads) {
    constexpr uint32_t wanted = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
    constexpr uint32_t namespaces =
        CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
    // A process that waits in vfork does not react to SIGSTOP, so it could never be frozen.
    constexpr uint32_t unwanted = namespaces | CLONE_VFORK | CLONE_PTRACE | CLONE_PIDFD;
    b.allow("clone", {when(0, SCMP_CMP_MASKED_EQ, wanted | unwanted, wanted)});
    b.allow("futex_waitv");
  }
  if (policy.allow_threads || loading)
    for (const auto* name : waiting)
      b.allow(name);
  else
    wait_for_nobody(b);

  if (loading) {
    // Code comes only from the sealed object, so the compiled code is the judged code. Text relocations do not work.
    constexpr uint64_t code = PROT_WRITE | PROT_EXEC;
    const auto data = when(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    const auto text = when(2, SCMP_CMP_MASKED_EQ, code, PROT_EXEC);
    const auto anywhere = when(0, SCMP_CMP_EQ, 0);
    const auto above_the_pin = when(0, SCMP_CMP_GE, pin_end);
    b.allow("mmap", {above_the_pin, data});
    b.allow("mmap", {above_the_pin, text, when(3, SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, 0)});
    b.allow("mmap", {anywhere, data, when(3, SCMP_CMP_MASKED_EQ, MAP_FIXED, 0)});
    b.allow("mmap", {anywhere, text, when(3, SCMP_CMP_MASKED_EQ, MAP_FIXED | MAP_ANONYMOUS, 0)});
    b.allow("mprotect", {above_the_pin, data});
    b.allow("pread64");
    // Landlock does not check O_PATH, which is enough to find out about files.
    constexpr uint32_t unwanted = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY) | O_PATH;
    b.allow("openat", {when(2, SCMP_CMP_MASKED_EQ, unwanted, 0)});
    b.allow("open", {when(1, SCMP_CMP_MASKED_EQ, unwanted, 0)});
    b.allow("seccomp", {when(0, SCMP_CMP_EQ, SECCOMP_SET_MODE_FILTER), when(1, SCMP_CMP_EQ, SECCOMP_FILTER_FLAG_TSYNC),
                        when(2, SCMP_CMP_EQ, pin_begin)});
  } else {
    // No new code may be mapped once timing may start: the compiled code is the judged code.
    b.allow("mmap", {when(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
    b.allow("mprotect", {when(2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)});
  }
}

} // namespace

result<system_call_program> compile_system_call_program(const sandbox_policy& policy) {
  const bool compiler = policy.profile == sandbox_profile::compiler || policy.profile == sandbox_profile::framework;
  builder b{compiler ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_TRAP};
  if (!b.usable())
    return fail(errc::unsupported, "libseccomp cannot start a filter");
  if (compiler)
    compiler_rules(b, policy.profile);
  else
    candidate_rules(b, policy);
  if (b.error() != 0)
    return tl::unexpected<failure>(from_errno(b.error(), "building the seccomp filter"));

  // libseccomp writes the program only to a descriptor.
  auto fd = memfd_create("kevolve-seccomp", MFD_CLOEXEC);
  if (fd < 0)
    return tl::unexpected<failure>(from_errno(errno, "memfd for the seccomp filter"));
  auto rc = seccomp_export_bpf(b.context(), fd);
  system_call_program out;
  if (rc == 0) {
    const auto guard = compiler ? 0 : std::size(guard_of_sigsys);
    const auto bytes = static_cast<size_t>(lseek(fd, 0, SEEK_END));
    out.resize(guard + bytes / sizeof(sock_filter));
    std::copy_n(guard_of_sigsys, guard, out.begin());
    if (pread(fd, out.data() + guard, bytes, 0) != static_cast<ssize_t>(bytes))
      rc = -EIO;
  }
  ::close(fd);
  if (rc != 0)
    return tl::unexpected<failure>(from_errno(-rc, "exporting the seccomp filter"));
  return out;
}

namespace {

system_call_program for_this_process(const system_call_program& program) {
  auto own = program;
  const auto pid = static_cast<uint32_t>(getpid());
  for (auto& instruction : own)
    if (instruction.k == own_pid_placeholder)
      instruction.k = pid;
  return own;
}

} // namespace

int pin_system_call_program(const system_call_program& program) {
  const auto own = for_this_process(program);
  const auto bytes = own.size() * sizeof(sock_filter);
  if (sizeof(sock_fprog) + bytes > pin_end - pin_begin)
    return E2BIG;
  auto* wanted = reinterpret_cast<void*>(pin_begin); // NOLINT(performance-no-int-to-ptr)
  auto* at = mmap(wanted, pin_end - pin_begin, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (at == MAP_FAILED)
    return errno;
  if (at != wanted)
    return EEXIST;
  auto* code = reinterpret_cast<sock_filter*>(static_cast<std::byte*>(at) + sizeof(sock_fprog));
  std::memcpy(code, own.data(), bytes);
  const sock_fprog prog{static_cast<unsigned short>(own.size()), code};
  std::memcpy(at, &prog, sizeof(prog));
  return mprotect(at, pin_end - pin_begin, PROT_READ) == 0 ? 0 : errno;
}

int install_pinned_system_call_program() {
  const auto rc = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, pin_begin);
  return rc == 0 ? 0 : rc > 0 ? EBUSY : errno;
}

int install_system_call_program(const system_call_program& program) {
  auto own = for_this_process(program);
  sock_fprog prog{static_cast<unsigned short>(own.size()), own.data()};
  // NOLINTNEXTLINE: there is no wrapper for seccomp(2).
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) == 0 ? 0 : errno;
}

std::string system_call_name(int64_t number) {
  auto* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, static_cast<int>(number));
  if (name == nullptr)
    return std::to_string(number);
  std::string out = name;
  std::free(name);
  return out;
}

} // namespace kevolve
