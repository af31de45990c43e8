// Tests that raising the scheduling priority does not affect the caller's other processes.
#include "backends/cpu/judge/scheduling_priority.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

using namespace kevolve;

namespace {

int status_of_child(const std::function<int()>& child) {
  const auto pid = ::fork();
  if (pid == 0)
    ::_exit(child());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns for example "/autogroup-12 nice 0"; empty if the kernel has no autogroups.
std::string autogroup() {
  std::ifstream in{"/proc/self/autogroup"};
  std::string out;
  std::getline(in, out);
  return out;
}

} // namespace

TEST_CASE("the priority is raised in a separate session, and the caller's session keeps its weight") {
  CHECK(status_of_child([] {
          go_ahead_of_others();
          return ::getsid(0) == ::getpid() ? 0 : 1;
        })
        == 0);
  if (autogroup().empty()) {
    MESSAGE("skipped: weights of sessions (this kernel has no autogroups)");
    return;
  }
  // A process group leader cannot begin a session; a shell makes every command one.
  CHECK(status_of_child([] {
          ::setsid();
          const auto before = autogroup();
          const auto went = status_of_child([] {
            ::setpgid(0, 0);
            go_ahead_of_others();
            return 0;
          });
          return went == 0 && autogroup() == before ? 0 : 1;
        })
        == 0);
}
