// Tests that the compile server survives hostile sources; these are in tests/redteam/compile.
#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <sys/mount.h>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("a compiler that needs too much memory is the source's error") {
  server_setup setup;
  setup.more = {"--memory-mib", "700"};
  server_fixture server{setup};
  auto request = request_for("#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(x))))\n"
                             "#define C(x) B(B(x))\nint y = C(C(+)) 1;\n");
  request.limit_ms = 30'000;
  auto out = server.compile(request);
  INFO(out.log);
  CHECK(to_string(out.result) == "out_of_memory");
  CHECK(server.compile(request_for("void f(void) {}\n")).result == verdict::pass);
}

TEST_CASE("a long compile reports progress") {
  server_fixture server;
  auto request = request_for(slow_source());
  request.limit_ms = 1800;
  auto out = server.compile(request);
  CHECK(out.result == verdict::timeout);
  CHECK(out.log.find("1800 ms") != std::string::npos);
  CHECK(server.progress_frames() >= 2);
}

TEST_CASE("a full disk is a fault, and work continues when there is space again") {
  scratch_folder disk;
  if (::mount("tmpfs", disk.path().c_str(), "tmpfs", 0, "size=6m") != 0) {
    MESSAGE("skipped: mounting a small disk needs root");
    return;
  }
  {
    server_setup setup;
    setup.scratch = disk.path();
    server_fixture server{setup};
    CHECK(server.compile(request_for("void f(void) {}\n")).result == verdict::pass);
    // Initialised, so that the object contains all of it.
    auto out = server.compile(request_for("char big[5000000] = {1};\nvoid f(void) {}\n"));
    CHECK(out.result == verdict::none);
    CHECK(out.trouble.kind == "no_space");
    CHECK(server.compile(request_for("void f(void) {}\n")).result == verdict::pass);
  }
  ::umount(disk.path().c_str());
}
