#include "runtime/base/sandbox.hpp"

#include "runtime/base/sandbox_syscalls.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace kevolve {

namespace {

// The newest attributes in use. Debian 12's header stops at an older ABI; the kernel accepts a longer struct while the
// fields that it does not know are zero.
struct ruleset_attributes {
  uint64_t files;
  uint64_t network;
  uint64_t scoped;
};

constexpr uint64_t first_abi_rights = (uint64_t{LANDLOCK_ACCESS_FS_MAKE_SYM} << 1U) - 1;
constexpr uint64_t right_refer = uint64_t{1} << 13U;     // ABI 2
constexpr uint64_t right_truncate = uint64_t{1} << 14U;  // ABI 3
constexpr uint64_t right_ioctl_dev = uint64_t{1} << 15U; // ABI 5
constexpr uint64_t all_network = 3;                      // ABI 4: TCP bind and connect
constexpr uint64_t all_scopes = 3;                       // ABI 6: abstract sockets, signals

constexpr uint64_t rights_of_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE
                                     | LANDLOCK_ACCESS_FS_READ_FILE | right_truncate | right_ioctl_dev;
constexpr uint64_t rights_to_read =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t rights_to_write = rights_to_read | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR
                                     | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR
                                     | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM | right_refer
                                     | right_truncate;

// Besides these, an older kernel has no right that a device's driver needs.
constexpr uint64_t rights_to_drive = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | right_ioctl_dev;

bool runs_programs(sandbox_profile p) {
  return p == sandbox_profile::compiler || p == sandbox_profile::framework;
}

int landlock_abi() {
  auto abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

uint64_t file_rights(int abi) {
  auto out = first_abi_rights;
  if (abi >= 2)
    out |= right_refer;
  if (abi >= 3)
    out |= right_truncate;
  if (abi >= 5)
    out |= right_ioctl_dev;
  return out;
}

constexpr const char* own_process = "/proc/self";

int add_path(int ruleset, const char* path, uint64_t rights) {
  auto fd = ::open(path, O_PATH | O_CLOEXEC);
  if (fd < 0)
    return 0;
  struct stat st = {};
  landlock_path_beneath_attr rule = {};
  rule.parent_fd = fd;
  rule.allowed_access = rights;
  if (fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode))
    rule.allowed_access &= rights_of_files;
  auto rc = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  auto error = errno;
  ::close(fd);
  return rc == 0 ? 0 : error;
}

int add_paths(int ruleset, const std::vector<std::string>& paths, uint64_t rights) {
  for (const auto& path : paths)
    if (path != own_process)
      if (auto error = add_path(ruleset, path.c_str(), rights); error != 0)
        return error;
  return 0;
}

bool limit(int resource, uint64_t value) {
  rlimit r{value, value};
  // The kind is an enum in C++ and an int in the C library's own prototypes.
  return setrlimit(static_cast<__rlimit_resource>(resource), &r) == 0;
}

volatile int64_t* violation_number = nullptr;

void on_violation(int, siginfo_t* info, void*) {
  *violation_number = info->si_syscall;
  // The filter refuses any change to SIGSYS with KILL_PROCESS, so this call ends the process with SIGSYS.
  syscall(SYS_rt_sigaction, SIGSYS, nullptr, nullptr, sizeof(uint64_t));
  _exit(128 + SIGSYS);
}

} // namespace

struct sandbox::prepared {
  sandbox_policy policy;
  std::vector<int> kept; // sorted
  int ruleset = -1;
  system_call_program program;
  std::string level;

  prepared() = default;
  prepared(const prepared&) = delete;
  prepared& operator=(const prepared&) = delete;
  ~prepared() {
    if (ruleset >= 0)
      ::close(ruleset);
  }
};

result<sandbox> sandbox::prepare(const sandbox_policy& policy) {
  auto p = std::make_shared<prepared>();
  p->policy = policy;
  p->kept = policy.keep_fds;
  if (!runs_programs(policy.profile))
    p->kept.push_back(policy.command_fd);

  if (auto abi = landlock_abi(); abi > 0) {
    ruleset_attributes attributes{file_rights(abi), abi >= 4 ? all_network : 0, abi >= 6 ? all_scopes : 0};
    p->ruleset = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0));
    if (p->ruleset < 0)
      return tl::unexpected<failure>(from_errno(errno, "creating the Landlock rules"));
    // The descriptor is O_CLOEXEC already; a clone keeps it.
    auto error = add_paths(p->ruleset, policy.readable, rights_to_read & file_rights(abi));
    if (error == 0)
      error = add_paths(p->ruleset, policy.writable, rights_to_write & file_rights(abi));
    if (error == 0)
      error = add_paths(p->ruleset, policy.devices, rights_to_drive & file_rights(abi));
    if (error != 0)
      return tl::unexpected<failure>(from_errno(error, "adding a Landlock rule"));
    p->level = "landlock" + std::to_string(abi) + "+";
    p->kept.push_back(p->ruleset);
  }
  std::sort(p->kept.begin(), p->kept.end());
  p->kept.erase(std::unique(p->kept.begin(), p->kept.end()), p->kept.end());

  auto program = compile_system_call_program(policy);
  if (!program)
    return tl::unexpected<failure>(program.error());
  p->program = std::move(*program);
  p->level += "seccomp+rlimits";

  sandbox out;
  out.prepared_ = std::move(p);
  return out;
}

result<void> sandbox::lock() const {
  const auto& p = *prepared_;
  auto failed = [](const char* what) { return tl::unexpected<failure>(from_errno(errno, what)); };

  unsigned next = 0;
  for (auto fd : p.kept) {
    auto kept = static_cast<unsigned>(fd);
    if (kept > next && close_range(next, kept - 1, 0) != 0)
      return failed("closing descriptors");
    next = kept + 1;
  }
  if (close_range(next, ~0U, 0) != 0)
    return failed("closing descriptors");

  if (p.policy.parent_pid != 0) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
      return failed("PR_SET_PDEATHSIG");
    if (getppid() != (p.policy.parent_outside ? 0 : p.policy.parent_pid))
      return fail(errc::unavailable, "the parent died while its child started");
  }
  auto ok = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, p.policy.file_size_bytes)
            && limit(RLIMIT_NOFILE, std::max<uint64_t>(p.policy.open_files, next)) && limit(RLIMIT_MEMLOCK, 0)
            && limit(RLIMIT_MSGQUEUE, 0);
  if (ok && p.policy.memory_bytes != 0)
    ok = limit(RLIMIT_AS, p.policy.memory_bytes);
  if (ok && p.policy.cpu_seconds != 0)
    ok = limit(RLIMIT_CPU, p.policy.cpu_seconds);
  if (!ok)
    return failed("setting resource limits");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return failed("PR_SET_NO_NEW_PRIVS");
  if (p.ruleset >= 0) {
    const auto& readable = p.policy.readable;
    if (std::find(readable.begin(), readable.end(), own_process) != readable.end()
        && add_path(p.ruleset, own_process, rights_to_read) != 0)
      return failed("admitting its own process's files");
    if (syscall(SYS_landlock_restrict_self, p.ruleset, 0) != 0)
      return failed("restricting with Landlock");
    ::close(p.ruleset); // closes this process's copy; the next child inherits it from the process that prepared it
  }
  return lock_syscalls();
}

result<void> sandbox::lock_syscalls() const {
  if (auto error = install_system_call_program(prepared_->program); error != 0)
    return tl::unexpected<failure>(from_errno(error, "installing the seccomp filter"));
  return {};
}

result<void> sandbox::pin_syscalls() const {
  if (auto error = pin_system_call_program(prepared_->program); error != 0)
    return tl::unexpected<failure>(from_errno(error, "pinning the seccomp filter"));
  return {};
}

result<void> sandbox::lock_pinned_syscalls() const {
  if (auto error = install_pinned_system_call_program(); error != 0)
    return tl::unexpected<failure>(from_errno(error, "installing the seccomp filter"));
  return {};
}

const std::string& sandbox::level() const {
  return prepared_->level;
}

void record_violations(volatile int64_t* number) {
  violation_number = number;
  struct sigaction action = {};
  action.sa_sigaction = on_violation;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSYS, &action, nullptr);
}

void hide_memory() {
  prctl(PR_SET_DUMPABLE, 0);
}

sandbox_support detect_sandbox() {
  sandbox_support out;
  out.landlock_abi = landlock_abi();
  if (out.landlock_abi > 0)
    out.level = "landlock" + std::to_string(out.landlock_abi) + "+";
  else
    out.missing["landlock"] = {"the kernel has none, or it is not switched on",
                               "Linux 5.13 or newer, booted with lsm=landlock,… (see /sys/kernel/security/lsm)"};
  uint32_t action = SECCOMP_RET_TRAP;
  out.seccomp = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  if (out.seccomp)
    out.level += "seccomp+";
  else
    out.missing["seccomp"] = {"the kernel has no seccomp filters", "a kernel with CONFIG_SECCOMP_FILTER"};
  out.level += "rlimits";
  auto around = try_confinement(candidate_confinement);
  out.level += (around.level.empty() ? "" : "+") + around.level;
  out.missing.merge(around.missing);
  return out;
}

std::string refusal_of_level(const std::string& level, const std::vector<std::string>& done_without) {
  const std::string layer = "landlock";
  if (level.rfind(layer, 0) == 0 || std::find(done_without.begin(), done_without.end(), layer) != done_without.end())
    return {};
  return "this kernel has no Landlock (level " + level
         + "), so nothing bounds the files that native code could reach if it escaped the system call filter; see "
           "kevolve doctor, or accept it by name: --allow-weak-sandbox landlock (kevolved.toml: [sandbox] "
           "allow_without "
           "= [\"landlock\"])";
}

} // namespace kevolve
