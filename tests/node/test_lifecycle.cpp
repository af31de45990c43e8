#include "tests/node/live_node.hpp"

#include "actors/interfaces.hpp"

#include <caf/scoped_actor.hpp>
#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>

using namespace kevolve;
using namespace kevolve::test;

TEST_CASE("a node starts and stops twenty times and leaves no helper behind") {
  scratch_folder dir;
  id128 id;
  for (int i = 0; i < 20; ++i) {
    live_node n{dir.path, {.with_target = i % 4 == 0}};
    if (i == 0)
      id = n.get().id();
    CHECK(n.get().id() == id);
    n.stop();
  }
  CHECK(helpers("kevolve-judge").empty());
  CHECK(helpers("kevolve-compile-server").empty());
}

TEST_CASE("each helper has its own session and priority, and none of our files") {
  scratch_folder dir;
  const auto left_open = ::open("/dev/full", O_RDONLY); // NOLINT(android-cloexec-open): as some library might
  live_node n{dir.path};
  caf::scoped_actor self{n.get().system()};
  for (const auto* resource : {"device", "compiler"}) { // a lease is granted once its helper has sent its hello
    bool granted = false;
    self->request(n.get().scheduler(), std::chrono::seconds{120}, atom::acquire_v,
                  lease_request{resource, {"target:cpu"}, random_id()})
        .receive([&](const lease&) { granted = true; }, [](const caf::error&) {});
    REQUIRE(granted);
  }
  for (const auto* kind : {"kevolve-judge", "kevolve-compile-server"}) {
    const auto found = helpers(kind);
    REQUIRE_FALSE(found.empty());
    for (auto pid : found) {
      CHECK(::getsid(pid) == pid);
      for (const auto& fd : std::filesystem::directory_iterator{"/proc/" + std::to_string(pid) + "/fd"}) {
        std::error_code closed_meanwhile;
        CHECK(std::filesystem::read_symlink(fd.path(), closed_meanwhile) != "/dev/full");
      }
    }
  }
  ::close(left_open);
}

TEST_CASE("a second node on the same directory is refused, naming the first") {
  scratch_folder dir;
  live_node first{dir.path, {.with_target = false}};
  node_options o;
  o.data_dir = dir.path;
  o.targets.clear();
  auto second = node::start(std::move(o));
  REQUIRE_FALSE(second);
  CHECK(second.error().code == errc::conflict);
  CHECK(second.error().detail.find(std::to_string(::getpid())) != std::string::npos);
}

TEST_CASE("an unknown target is refused") {
  scratch_folder dir;
  node_options o;
  o.data_dir = dir.path;
  o.targets = {"abacus"};
  auto n = node::start(std::move(o));
  REQUIRE_FALSE(n);
  CHECK(n.error().code == errc::not_found);
}
