#include "runtime/base/confinement.hpp"

#include "runtime/base/control_group.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

namespace kevolve {

namespace {

// The argument of mount_setattr. Debian 12's C library has no wrapper, and its kernel headers may be older than the
// call.
struct mount_attributes {
  uint64_t set;
  uint64_t clear;
  uint64_t propagation;
  uint64_t user_namespace;
};
constexpr long sys_mount_setattr = 442;
constexpr unsigned recursive = 0x8000;
constexpr uint64_t read_only = 1;
constexpr uint64_t no_setuid = 2;

constexpr const char* as_root = "run the node as root";

// A compiler or a candidate needs fewer processes and threads than this; the limit stops fork bombs.
constexpr uint64_t most_processes = 1024;

// The memory limit is three quarters of the machine's memory, so that the kernel ends a helper before the machine runs
// out.
group_limits limits_of_machine() {
  const auto pages = static_cast<uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  return {pages / 4 * 3 * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)), most_processes};
}

bool capable(unsigned capability) {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  return ::syscall(SYS_capget, &head, data.data()) == 0
         && ((data[capability / 32].effective >> (capability % 32)) & 1U) != 0;
}

bool drop_capabilities() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  return ::syscall(SYS_capset, &head, none.data()) == 0;
}

std::string setting(const char* path) {
  std::ifstream in{path};
  std::string line;
  std::getline(in, line);
  return line;
}

// Returns a command that lifts this machine's ban on user namespaces for ordinary users.
std::string namespace_remedy() {
  if (setting("/proc/sys/user/max_user_namespaces") == "0")
    return "sysctl user.max_user_namespaces=15000";
  if (setting("/proc/sys/kernel/unprivileged_userns_clone") == "0")
    return "sysctl kernel.unprivileged_userns_clone=1";
  if (setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1")
    return "sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  return "a container that may unshare (docker run --cap-add SYS_ADMIN --security-opt seccomp=unconfined), or none";
}

struct name_space {
  const char* name;
  int flag;
};
constexpr std::array<name_space, 3> always{{{"netns", CLONE_NEWNET}, {"ipcns", CLONE_NEWIPC}, {"utsns", CLONE_NEWUTS}}};

class mover {
public:
  confinement out;

  void reached(const std::string& layer) { out.level += (out.level.empty() ? "" : "+") + layer; }
  void missing_requirements(const std::string& layer, const std::string& why, const std::string& remedy) {
    out.missing[layer] = {why, remedy};
  }
  void lacks_by_errno(const std::string& layer, const char* call) {
    auto why = std::string{call} + ": " + std::strerror(errno);
    missing_requirements(layer, why, namespace_remedy());
  }

  // This must come first: later steps give up the right and the file system that it needs.
  void enter_group() {
    const auto refused = enter_own_group(limits_of_machine());
    if (refused.empty())
      reached("cgroup");
    else
      missing_requirements("cgroup", refused, group_remedy);
  }

  void take_uid() {
    const auto layer = "uid" + std::to_string(candidate_uid);
    if (::geteuid() != 0)
      return missing_requirements(layer, "an ordinary user cannot give its candidates another user id", as_root);
    if (!capable(CAP_SETUID) || !capable(CAP_SETGID) || !capable(CAP_KILL))
      return missing_requirements(layer, "root here has not the capabilities setuid, setgid and kill",
                                  "docker run --cap-add SETUID --cap-add SETGID --cap-add KILL");
    if (::setgroups(0, nullptr) != 0 || ::setresgid(candidate_uid, candidate_uid, candidate_uid) != 0
        || ::setresuid(candidate_uid, candidate_uid, candidate_uid) != 0)
      return missing_requirements(layer, std::string{"setresuid: "} + std::strerror(errno),
                                  "map user id " + std::to_string(candidate_uid) + " into this container");
    reached(layer);
  }

  void enter(const confinement_plan& plan) {
    for (const auto& ns : always) {
      if (::unshare(ns.flag) == 0)
        reached(ns.name);
      else
        lacks_by_errno(ns.name, "unshare");
    }
    if (plan.read_only_files) {
      const mount_attributes sealed{read_only | no_setuid, 0, MS_PRIVATE, 0};
      if (::unshare(CLONE_NEWNS) != 0)
        lacks_by_errno("mntns", "unshare");
      else if (::syscall(sys_mount_setattr, AT_FDCWD, "/", recursive, &sealed, sizeof sealed) != 0)
        missing_requirements("mntns", std::string{"mount_setattr: "} + std::strerror(errno), "Linux 5.12 or newer");
      else
        reached("mntns");
    }
    if (plan.own_processes)
      enter_processes();
  }

private:
  // Makes a pid namespace. When its first process ends, all others in it end. The first process ends when the other end
  // of its pipe is closed: a death signal would need the right to kill it, which we give up with root.
  void enter_processes() {
    if (::unshare(CLONE_NEWPID) != 0)
      return lacks_by_errno("pidns", "unshare");
    std::array<int, 2> ready{};
    std::array<int, 2> life{}; // its writing end stays open as long as this process lives
    if (::pipe2(ready.data(), O_CLOEXEC) != 0 || ::pipe2(life.data(), O_CLOEXEC) != 0)
      return lacks_by_errno("pidns", "pipe");
    auto first = ::fork();
    if (first == 0) {
      drop_capabilities();
      const auto answer = ::fcntl(ready[1], F_DUPFD, 64);
      ::dup2(life[0], 0);
      ::dup2(answer, 1);
      ::close_range(2, ~0U, 0);
      char word = 1;
      if (::write(1, &word, 1) != 1)
        ::_exit(1);
      ::close(1);
      while (::read(0, &word, 1) < 0 && errno == EINTR) {
      }
      ::_exit(0);
    }
    auto error = errno;
    ::close(life[0]);
    ::close(ready[1]);
    char said = 0;
    auto up = first > 0 && ::read(ready[0], &said, 1) == 1;
    ::close(ready[0]);
    if (!up) {
      errno = first < 0 ? error : ESRCH;
      return lacks_by_errno("pidns", "fork");
    }
    out.own_processes = true;
    reached("pidns");
  }
};

} // namespace

confinement confine(const confinement_plan& plan) {
  mover m;
  if (plan.own_group)
    m.enter_group();
  // A privileged process enters before it gives up root, because its namespaces then need no user namespace.
  const auto privileged = capable(CAP_SYS_ADMIN);
  if (privileged)
    m.enter(plan);
  if (plan.own_uid)
    m.take_uid();
  if (!privileged) {
    if (::unshare(CLONE_NEWUSER) == 0) {
      m.reached("userns");
      m.enter(plan);
    } else {
      const std::string why = std::string{"unshare: "} + std::strerror(errno);
      const auto remedy = namespace_remedy();
      for (const auto& ns : always)
        m.missing_requirements(ns.name, why, remedy);
      if (plan.read_only_files)
        m.missing_requirements("mntns", why, remedy);
      if (plan.own_processes)
        m.missing_requirements("pidns", why, remedy);
    }
  }
  // A compile server keeps root's capabilities: it writes files as its user.
  if (plan.own_uid && drop_capabilities())
    m.reached("nocaps");
  return m.out;
}

confinement try_confinement(const confinement_plan& plan) {
  confinement out;
  std::array<int, 2> words{};
  if (::pipe2(words.data(), O_CLOEXEC) != 0)
    return out;
  auto pid = ::fork();
  if (pid == 0) {
    auto found = confine(plan);
    std::string text = (found.own_processes ? "1" : "0") + found.level + "\n";
    for (const auto& [layer, m] : found.missing)
      text += layer + "\t" + m.why + "\t" + m.remedy + "\n";
    auto written = ::write(words[1], text.data(), text.size());
    ::_exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(words[1]);
  std::string text;
  std::array<char, 1024> part{};
  for (ssize_t n = 0; (n = ::read(words[0], part.data(), part.size())) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0)
      text.append(part.data(), static_cast<size_t>(n));
  ::close(words[0]);
  if (pid > 0)
    ::waitpid(pid, nullptr, 0);
  sweep_groups();
  std::istringstream in{text};
  std::string line;
  if (std::getline(in, line) && !line.empty()) {
    out.own_processes = line.front() == '1';
    out.level = line.substr(1);
  }
  while (std::getline(in, line)) {
    auto first = line.find('\t');
    auto second = line.find('\t', first + 1);
    if (second != std::string::npos)
      out.missing[line.substr(0, first)] = {line.substr(first + 1, second - first - 1), line.substr(second + 1)};
  }
  return out;
}

} // namespace kevolve
