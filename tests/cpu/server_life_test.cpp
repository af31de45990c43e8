#include "tests/support/server_fixture.hpp"

#include "backends/host_machine.hpp"
#include "backends/judge/core_turn.hpp"
#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <utility>

using namespace kevolve;
using namespace kevolve::testing;

namespace fs = std::filesystem;

namespace {

const std::string small = "void twice(float *x, int64_t n) { for (int64_t i = 0; i < n; ++i) x[i] *= 2.0f; }\n";

} // namespace

TEST_CASE("a cancelled request is dropped, running or waiting, and the next is served") {
  server_fixture server;
  auto slow = request_for(slow_source());
  auto waiting = request_for(small);
  auto last = request_for(small);
  server.send(slow);
  server.send(waiting);
  server.send(last);
  REQUIRE(server.link().send_message(frame_kind::cancel, helper_cancel{waiting.job}));
  auto first = server.outcome();
  CHECK(first.job == waiting.job);
  CHECK(first.trouble.kind == "cancelled");
  REQUIRE(server.link().send_message(frame_kind::cancel, helper_cancel{slow.job}));
  auto second = server.outcome();
  CHECK(second.job == slow.job);
  CHECK(second.result == verdict::none);
  CHECK(second.trouble.kind == "cancelled");
  auto third = server.outcome();
  CHECK(third.job == last.job);
  CHECK(third.result == verdict::pass);
}

TEST_CASE("a server whose node goes away ends at once, even during a compile, and leaves nothing") {
  server_fixture server;
  server.hello();
  server.send(request_for(slow_source()));
  auto begin = std::chrono::steady_clock::now();
  CHECK(server.stop() == 0);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{10});
  CHECK(fs::is_empty(server.scratch()));
}

// A compile of four seconds whose node goes away in the middle.
struct abandoned_build {
  scratch_folder folder;
  server_setup setup;
  compile_request request = request_for(slow_source());
  pid_t at_work = -1;

  explicit abandoned_build(const char* kept_after_ms = "0") {
    setup.scratch = folder.path() + "/scratch";
    fs::create_directory(setup.scratch);
    request.limit_ms = 4'000; // the verdict is a timeout
    setup.more = {"--keep", folder.path() + "/builds", "--keep-after-ms", kept_after_ms};
    server_fixture server{setup};
    server.hello();
    server.send(request);
    server.await_progress();
    at_work = server.abandon();
  }
  ~abandoned_build() {
    if (at_work > 0)
      end();
  }
  bool alive() const { return ::waitpid(at_work, nullptr, WNOHANG) == 0; }
  // Kills the server and waits for it.
  int end() {
    int status = -1;
    ::kill(at_work, SIGKILL);
    ::waitpid(std::exchange(at_work, -1), &status, 0);
    return status;
  }
  int ended() {
    int status = -1;
    ::waitpid(std::exchange(at_work, -1), &status, 0);
    return status;
  }
};

TEST_CASE("a long compile continues without its node, and an equal request joins it") {
  abandoned_build build;
  build.request.job = random_id();
  server_fixture next{build.setup};
  next.send(build.request);
  next.await_progress(); // progress is reported while it waits, as for any compile
  CHECK(build.alive());
  const auto out = next.outcome();
  CHECK(out.job == build.request.job);
  CHECK(out.result != verdict::none);
  CHECK(build.ended() == 0);
  // The outcome was returned once; a later request compiles again.
  CHECK(fs::is_empty(build.folder.path() + "/builds"));
}

TEST_CASE("a compile's outcome without a listener is returned to the next request") {
  abandoned_build build;
  CHECK(build.ended() == 0);
  const auto kept = build.folder.path() + "/builds";
  CHECK_FALSE(fs::is_empty(kept));
  build.request.job = random_id();
  server_fixture next{build.setup};
  const auto out = next.compile(build.request);
  CHECK(out.result != verdict::none);
  CHECK(fs::is_empty(kept)); // a new compile would leave the outcome where it is
  auto other = request_for(small);
  CHECK(next.compile(other).result == verdict::pass); // another request is another build
}

TEST_CASE("a compile that continues without its node is ended by a joining request that is cancelled") {
  abandoned_build build;
  build.request.job = random_id();
  server_fixture next{build.setup};
  next.send(build.request);
  next.await_progress();
  REQUIRE(next.link().send_message(frame_kind::cancel, helper_cancel{build.request.job}));
  CHECK(next.outcome().trouble.kind == "cancelled");
  CHECK(build.ended() == 0);
  CHECK(fs::is_empty(build.folder.path() + "/builds"));
}

TEST_CASE("a compile that dies without its node is repeated, and a short one ends with it") {
  {
    abandoned_build build;
    build.end();
    server_fixture next{build.setup};
    build.request.source = small;
    CHECK(next.compile(build.request).result == verdict::pass);
  }
  abandoned_build young{"3600000"};
  CHECK(young.ended() == 0);
  CHECK(fs::is_empty(young.folder.path() + "/builds"));
}

TEST_CASE("a killed server's folder is removed by the next") {
  scratch_folder scratch;
  server_setup setup;
  setup.scratch = scratch.path();
  {
    server_fixture server{setup};
    server.hello();
    ::kill(server.pid(), SIGKILL);
    server.stop();
  }
  CHECK_FALSE(fs::is_empty(scratch.path()));
  {
    server_fixture server{setup};
    server.hello();
  }
  CHECK(fs::is_empty(scratch.path()));
}

TEST_CASE("a missing compiler is a fault that names the package, and g++ replaces clang") {
  scratch_folder tools;
  server_setup setup;
  setup.path = tools.path();
  {
    server_fixture server{setup};
    auto out = server.compile(request_for(small));
    CHECK(out.result == verdict::none);
    CHECK(out.trouble.kind == "toolchain_missing");
    CHECK(out.trouble.detail.find("apt-get install clang-19") != std::string::npos);
  }
  for (const auto* program : {"gcc", "as", "ld.bfd"})
    fs::create_symlink(std::string{"/usr/bin/"} + program, tools.path() + "/" + program);
  server_fixture server{setup};
  auto out = server.compile(request_for(small, "O3-vec512"));
  INFO(out.log, out.trouble.detail);
  REQUIRE(out.result == verdict::pass);
  std::vector<float> x{1.0F, -2.0F};
  loaded_object{out.artifact}.entry<void(float*, int64_t)>("twice")(x.data(), 2);
  CHECK(x == std::vector<float>{2.0F, -4.0F});
  auto tree = request_for(small);
  tree.kind = compile_kind::syntax_tree;
  tree.entry = "twice";
  CHECK(server.compile(tree).trouble.kind == "toolchain_missing");
}

TEST_CASE("an invalid frame is answered with a fault") {
  server_fixture server;
  REQUIRE(server.link().send(static_cast<uint8_t>(frame_kind::compile_request), "garbage"));
  auto out = server.outcome();
  CHECK(out.trouble.kind == "protocol");
  CHECK(server.compile(request_for(small)).result == verdict::pass);
}

TEST_CASE("nothing compiles on a core used for timing; the wait is reported and can be cancelled") {
  server_fixture server;
  server.hello();
  auto request = request_for(small);
  auto mine = take_cores(usable_cores(), std::chrono::minutes{4}, [](int) {}, [] { return false; });
  REQUIRE(mine);
  server.send(request);
  const auto next = [&] {
    auto got = server.link().receive(std::chrono::seconds{60});
    REQUIRE(got);
    REQUIRE(got->kind == static_cast<uint8_t>(frame_kind::progress));
    auto p = decode<helper_progress>(got->payload);
    REQUIRE(p);
    return *p;
  };
  for (int i = 0; i < 2; ++i) {
    const auto p = next();
    CHECK(p.waiting);
    CHECK(p.stage.starts_with("waiting for core "));
  }
  server.link().send_message(frame_kind::cancel, helper_cancel{request.job});
  CHECK(server.outcome().trouble.kind == "cancelled");
  request.job = random_id();
  server.send(request);
  CHECK(next().waiting);
  mine->clear();
  CHECK(server.outcome().result == verdict::pass);
}
