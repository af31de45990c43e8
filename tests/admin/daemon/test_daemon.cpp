#include "runtime/node/node_parts.hpp"
#include "tests/admin/daemon/program.hpp"
#include "tools/kevolved/liveness.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace kevolve;
using test::temporary_folder;

namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in{path};
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

bool any_has(const std::vector<std::string>& lines, const std::string& text) {
  for (const auto& line : lines)
    if (line.find(text) != std::string::npos)
      return true;
  return false;
}

} // namespace

TEST_CASE("the service manager is notified of start, life, reload and stop") {
  test::daemon_process d;
  auto ready = d.next();
  CHECK(ready.starts_with("READY=1\n"));
  CHECK(ready.find("STATUS=serving ") != std::string::npos);
  for (int i = 0; i < 3; ++i)
    CHECK(d.next() == "WATCHDOG=1\n");
  d.signal(SIGHUP);
  CHECK(d.until("RELOADING=1").find("MONOTONIC_USEC=") != std::string::npos);
  d.until("READY=1");
  d.signal(SIGTERM);
  CHECK(d.until("STOPPING=1").find("EXTEND_TIMEOUT_USEC=") != std::string::npos);
  CHECK(d.wait() == 0);
  CHECK_FALSE(std::filesystem::exists(d.data() + "/admin.json"));
}

TEST_CASE("a node whose actors do not answer fails its watchdog") {
  temporary_folder folder;
  node_options o;
  o.data_dir = folder.path() + "/data";
  o.targets.clear();
  o.listen.clear();
  auto n = node::start(std::move(o));
  REQUIRE(n);
  CHECK(not_alive(**n, std::chrono::seconds{5}).empty());
  caf::anon_send_exit((*n)->parts_of().core, caf::exit_reason::kill);
  std::string why;
  for (int i = 0; i < 100 && why.empty(); ++i)
    why = not_alive(**n, std::chrono::milliseconds{100});
  CHECK_FALSE(why.empty());
}

TEST_CASE("SIGHUP reopens the log, applies allowed changes and names those that need a restart") {
  test::daemon_process d{"[log]\nfile = \"log\"\njson = true\n"};
  d.until("READY=1");
  auto log = d.folder.path() + "/log";
  std::filesystem::rename(log, log + ".1");
  d.write_settings(
      "[log]\nfile = \"log\"\njson = true\nlevel = \"debug\"\n[limits]\ncompilers = 3\nconnections = 40\n");
  d.signal(SIGHUP);
  d.until("RELOADING=1");
  d.until("READY=1");
  auto after = lines_of(log);
  CHECK(any_has(after, "limits.compilers has changed"));
  CHECK_FALSE(any_has(after, "limits.connections"));
  CHECK(any_has(after, "read again"));
  for (const auto& line : after)
    CHECK(nlohmann::json::parse(line).contains("component"));

  // An invalid file changes nothing, and the node continues.
  d.write_settings("colour = 1\n");
  d.signal(SIGHUP);
  d.until("RELOADING=1");
  d.until("READY=1");
  CHECK(any_has(lines_of(log), "is left aside"));
  d.signal(SIGTERM);
  d.until("STOPPING=1");
  CHECK(d.wait() == 0);
  CHECK(any_has(lines_of(log), "\"stopped\""));
}
