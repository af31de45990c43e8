#include "tests/node/live_node.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <chrono>
#include <thread>

using namespace kevolve;
using namespace kevolve::test;

TEST_CASE("a node starts and stops twenty times over, and leaves no helper behind") {
  scratch_folder dir;
  id128 id;
  for (int i = 0; i < 20; ++i) {
    live_node n{dir.path, i % 4 == 0};
    if (i == 0)
      id = n.get().id();
    CHECK(n.get().id() == id);
    n.stop();
  }
  CHECK(helpers("kevolve-judge").empty());
  CHECK(helpers("kevolve-compile-server").empty());
}

TEST_CASE("each helper has a session of its own, whose priority it may change without changing ours") {
  scratch_folder dir;
  live_node n{dir.path};
  for (const auto* kind : {"kevolve-judge", "kevolve-compile-server"}) {
    std::vector<pid_t> found;
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds{60};
    while ((found = helpers(kind)).empty() && std::chrono::steady_clock::now() < late)
      std::this_thread::sleep_for(std::chrono::milliseconds{5}); // nothing tells that they have been spawned
    REQUIRE_FALSE(found.empty());
    for (auto pid : found)
      CHECK(::getsid(pid) == pid);
  }
}

TEST_CASE("a second node on the same directory is refused, naming the first") {
  scratch_folder dir;
  live_node first{dir.path, false};
  node_options o;
  o.data_dir = dir.path;
  o.targets.clear();
  auto second = node::start(std::move(o));
  REQUIRE_FALSE(second);
  CHECK(second.error().code == errc::conflict);
  CHECK(second.error().detail.find(std::to_string(::getpid())) != std::string::npos);
}

TEST_CASE("a target that there is not is refused") {
  scratch_folder dir;
  node_options o;
  o.data_dir = dir.path;
  o.targets = {"abacus"};
  auto n = node::start(std::move(o));
  REQUIRE_FALSE(n);
  CHECK(n.error().code == errc::not_found);
}
