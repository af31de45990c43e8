// Tests the programs on machines that lack parts of the sandbox. They are started by a thread that may not use some
// system call, which they inherit.
#include "tests/support/hindrance.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

using namespace kevolve;
using namespace kevolve::test;

namespace {

outcome run_after(const std::function<void()>& loss, const std::vector<std::string>& arguments) {
  outcome out;
  std::thread poor{[&] {
    loss();
    out = run_kevolve(arguments);
  }};
  poor.join();
  return out;
}

std::vector<std::string> eval_and(const std::vector<std::string>& more) {
  std::vector<std::string> out{"eval", source_path("tests/node/tasks/row_energy.task.toml"),
                               source_path("tests/node/tasks/row_energy.c"), "--json"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

json row_of(const json& document, const std::string& item) {
  for (const auto& r : document["targets"]["cpu"])
    if (r["item"] == item)
      return r;
  FAIL("doctor says nothing of " << item);
  return {};
}

} // namespace

TEST_CASE("without Landlock native candidates are refused, and doctor says so; an operator may allow it by name") {
  auto refused = run_after(lose_landlock, eval_and({}));
  CHECK(refused.code == 1);
  CHECK((refused.out + refused.err).find("--allow-weak-sandbox landlock") != std::string::npos);
  auto told = run_after(lose_landlock, {"doctor", "--json"});
  CHECK(told.code == 1);
  auto row = row_of(told.document(), "Landlock");
  CHECK(row["state"] == "missing");
  CHECK(row["remedy"].get<std::string>().find("lsm=landlock") != std::string::npos);
  auto accepted = run_after(lose_landlock, eval_and({"--allow-weak-sandbox", "landlock"}));
  CAPTURE(accepted.err);
  CHECK(accepted.code == 0);
  CHECK(accepted.document()["sandbox_level"].get<std::string>().rfind("seccomp", 0) == 0);
  CHECK(run_kevolve(eval_and({"--allow-weak-sandbox", "seccomp"})).code == 2);
}

TEST_CASE("doctor has a row per layer, and shows the level stored with results") {
  auto here = run_kevolve({"doctor", "--json"}).document();
  auto judged = run_kevolve(eval_and({}));
  CAPTURE(judged.err);
  REQUIRE(judged.code == 0);
  CHECK(row_of(here, "sandbox")["detail"] == judged.document()["sandbox_level"]);
  for (const auto* item :
       {"Landlock", "mount namespace", "pid namespace", "network namespace", "ipc namespace", "own user id"}) {
    CAPTURE(item);
    auto row = row_of(here, item);
    CHECK((row["state"] == "ok") == row["remedy"].is_null());
  }
}

TEST_CASE("an ordinary user's candidate is compiled and judged without user namespaces") {
  auto ordinary = [] {
    if (::getuid() == 0)
      become_nobody();
    forbid_user_namespaces();
  };
  if (::getuid() == 0) {
    auto there = true;
    std::thread nobody{[&] {
      become_nobody();
      there = run_kevolve({"--version"}, "/").code == 0
              && !read_file(source_path("tests/node/tasks/row_energy.task.toml")).empty();
    }};
    nobody.join();
    if (!there) {
      MESSAGE("skipped: eval as another user: it may not read this tree");
      return;
    }
  }
  outcome judged;
  std::thread poor{[&] {
    ordinary();
    judged = run_kevolve(eval_and({}), "/");
  }};
  poor.join();
  CAPTURE(judged.err);
  REQUIRE(judged.code == 0);
  auto level = judged.document()["sandbox_level"].get<std::string>();
  CHECK(level.find("seccomp") != std::string::npos);
  CHECK(level.find("ns") == std::string::npos);
}

TEST_CASE("doctor names the requirement for the processor's counters") {
  auto told = run_after([] { forbid(SYS_perf_event_open, 0, EACCES); }, {"doctor", "--json"});
  auto row = row_of(told.document(), "counters");
  CHECK(row["state"] == "weaker");
  std::ifstream in{"/proc/sys/kernel/perf_event_paranoid"};
  int paranoid = 0;
  in >> paranoid;
  CHECK((row["remedy"] == "sysctl kernel.perf_event_paranoid=2") == (paranoid > 2));
  CHECK_FALSE(row["remedy"].is_null());
}

TEST_CASE("a full /dev/shm does no harm") {
  std::string why;
  auto fill_up = [&why] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
        || ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=4k") != 0) {
      why = std::strerror(errno);
      return;
    }
    std::ofstream{"/dev/shm/full"} << std::string(8'192, 'x');
  };
  auto judged = run_after(fill_up, eval_and({}));
  if (!why.empty()) {
    MESSAGE("skipped: a full /dev/shm: " << why << " (needs root)");
    return;
  }
  CAPTURE(judged.err);
  CHECK(judged.code == 0);
  CHECK(judged.document()["verdict"] == "pass");
}
