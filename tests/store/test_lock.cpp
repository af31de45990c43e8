#include "runtime/base/channel.hpp"
#include "scratch.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace kevolve::test {

TEST_CASE("a second process is refused, and the owner is named") {
  scratch_directory dir;
  auto ends = make_channel_pair();
  REQUIRE(ends);
  auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ends->first.close();
    auto opened = store::open(dir.path());
    auto told = ends->second.send(opened ? 1 : 0, {});
    // Holds the directory until the parent closes its end.
    auto end = ends->second.receive(std::chrono::minutes{1});
    ::_exit(told && !end ? 0 : 1);
  }
  ends->second.close();
  auto ready = ends->first.receive(std::chrono::minutes{1});
  REQUIRE(ready);
  REQUIRE(ready->kind == 1);

  auto refused = store::open(dir.path());
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::conflict);
  CHECK(refused.error().detail.find(dir.path() + " is in use by kevolve (pid " + std::to_string(child) + ", since 2")
        != std::string::npos);

  ends->first.close();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(store::open(dir.path()));
}

TEST_CASE("the same process cannot open a directory twice") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  auto refused = store::open(dir.path());
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::conflict);
  s.reset();
  CHECK(store::open(dir.path()));
}

TEST_CASE("a directory open for reading is reported as such, without a stale owner") {
  scratch_directory dir;
  CHECK(store::open(dir.path()));
  store_options o;
  o.read_only = true;
  auto reader = store::open(dir.path(), o);
  REQUIRE(reader);
  CHECK(store::open(dir.path(), o));
  auto refused = store::open(dir.path());
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::conflict);
  CHECK(refused.error().detail
        == "data directory " + dir.path() + " is being read by another kevolve, such as fsck; wait "
               + "until that has ended");
}

TEST_CASE("a missing directory is created only on request") {
  scratch_directory dir;
  auto deep = dir.path() + "/a/b";
  store_options o;
  o.create = false;
  auto refused = store::open(deep, o);
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::not_found);
  CHECK(!std::filesystem::exists(dir.path() + "/a"));
  CHECK(store::open(deep));
  CHECK(store::open(deep, o));
}

} // namespace kevolve::test
