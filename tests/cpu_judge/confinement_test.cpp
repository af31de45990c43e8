// Tests the outer sandbox layers on various machines: the level names the layers in force, and missing ones have
// remedies.
#include "runtime/base/sandbox.hpp"
#include "tests/support/hindrance.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>

using namespace kevolve;

namespace {

enum check : int {
  fine = 0,
  unwanted_layer,
  missing_unnamed,
  same_namespace,
  writable,
  privileged,
  sees_others,
  outside
};

bool has(const confinement& c, const std::string& layer) {
  return ("+" + c.level + "+").find("+" + layer + "+") != std::string::npos;
}

bool in_own_group() {
  std::ifstream in{"/proc/self/cgroup"};
  for (std::string line; std::getline(in, line);)
    if (line.find("/kevolve-" + std::to_string(::getpid())) != std::string::npos)
      return true;
  return false;
}

std::string link_of(const std::string& path) {
  std::string out(256, '\0');
  auto n = ::readlink(path.c_str(), out.data(), out.size());
  out.resize(n > 0 ? static_cast<size_t>(n) : 0);
  return out;
}

// Enters the sandbox and checks that every layer named by the level is in force.
int confined_and_true(const std::string& must_not_have) {
  struct pair {
    const char* layer;
    const char* file;
  };
  constexpr pair spaces[]{{"netns", "net"}, {"ipcns", "ipc"}, {"utsns", "uts"}, {"mntns", "mnt"}, {"userns", "user"}};
  std::string before[std::size(spaces)];
  for (size_t i = 0; i < std::size(spaces); ++i)
    before[i] = link_of(std::string{"/proc/self/ns/"} + spaces[i].file);
  auto got = confine(candidate_confinement);
  if (!must_not_have.empty() && has(got, must_not_have))
    return unwanted_layer;
  for (const auto* layer : {"cgroup", "netns", "ipcns", "utsns", "mntns", "pidns", "uid65533"}) {
    auto lack = got.missing.find(layer);
    if (has(got, layer) ? lack != got.missing.end()
                        : lack == got.missing.end() || lack->second.why.empty() || lack->second.remedy.empty())
      return missing_unnamed;
  }
  for (size_t i = 0; i < std::size(spaces); ++i)
    if (has(got, spaces[i].layer) && link_of(std::string{"/proc/self/ns/"} + spaces[i].file) == before[i])
      return same_namespace;
  if (has(got, "mntns") && (::open("/tmp", O_WRONLY | O_TMPFILE, 0600) >= 0 || errno != EROFS))
    return writable;
  if (has(got, "cgroup") && !in_own_group())
    return outside;
  if (has(got, "uid65533") && (::getuid() != candidate_uid || ::setresuid(0, 0, 0) == 0))
    return privileged;
  if (has(got, "nocaps") && ::unshare(CLONE_NEWNET) == 0)
    return privileged;
  if (has(got, "pidns")) {
    auto pid = ::fork();
    if (pid == 0)
      ::_exit(::getpid() < 10 && ::getppid() == 0 ? 0 : 1);
    int status = 0;
    ::waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      return sees_others;
  }
  return fine;
}

int in_child(const std::function<void()>& hindered, const std::string& must_not_have) {
  auto pid = ::fork();
  if (pid == 0) {
    if (hindered)
      hindered();
    ::_exit(confined_and_true(must_not_have));
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200;
}

} // namespace

TEST_CASE("a confined process is restricted as its level states, and missing layers have reasons and remedies") {
  CHECK(in_child({}, "") == fine);
  CHECK(in_child(forbid_user_namespaces, "userns") == fine);
  if (::getuid() != 0) {
    MESSAGE("skipped: another user's sandbox (needs root)");
    return;
  }
  CHECK(in_child(become_nobody, "uid65533") == fine);
  CHECK(in_child(
            [] {
              become_nobody();
              forbid_user_namespaces();
            },
            "netns")
        == fine);
}

TEST_CASE("detection reports the layers of a candidate and changes nothing here") {
  auto before = link_of("/proc/self/ns/net") + link_of("/proc/self/ns/mnt");
  auto tried = try_confinement(candidate_confinement);
  CHECK(link_of("/proc/self/ns/net") + link_of("/proc/self/ns/mnt") == before);
  CHECK((!tried.level.empty() || !tried.missing.empty()));
  auto support = detect_sandbox();
  CHECK(support.level.find(tried.level) != std::string::npos);
  for (const auto& [layer, lack] : support.missing) {
    CAPTURE(layer);
    CHECK_FALSE(lack.why.empty());
    CHECK_FALSE(lack.remedy.empty());
  }
}

TEST_CASE("only a level without Landlock is refused, unless the operator has named it") {
  CHECK(refusal_of_level("landlock7+seccomp+rlimits", {}).empty());
  CHECK(refusal_of_level("seccomp+rlimits+netns", {}).find("--allow-weak-sandbox landlock") != std::string::npos);
  CHECK_FALSE(refusal_of_level("seccomp+rlimits", {"netns"}).empty());
  CHECK(refusal_of_level("seccomp+rlimits", {"landlock"}).empty());
}
