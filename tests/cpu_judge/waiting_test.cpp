// Tests a judge whose core is held by another judge: it waits, reports that, and the wait does not count against the
// job.
#include "backends/host_machine.hpp"
#include "backends/judge/core_turn.hpp"
#include "runtime/base/codec.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace kevolve;

TEST_CASE("a judge waits while another one holds its core, and reports that every second") {
  judge_driver judge;
  const auto place = "/sys/devices/system/cpu/cpu" + judge.hello().facts.at("core");
  const auto held = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(held >= 0);
  REQUIRE(::flock(held, LOCK_EX) == 0); // other judges on this machine release the core between two jobs
  judge_request probe;
  probe.job = random_id();
  probe.mode = judge_mode::probe;
  probe.limit_ms = 1; // limit of the probe itself; the wait is much longer
  judge.send(probe);
  for (int said = 0; said < 3;) {
    auto f = judge.socket().receive(std::chrono::seconds{60});
    REQUIRE(f.has_value());
    REQUIRE(static_cast<frame_kind>(f->kind) == frame_kind::progress);
    auto p = decode<helper_progress>(f->payload).value();
    CHECK(p.waiting);
    const auto who = ", held by " + std::to_string(::getpid()) + " (judge-test";
    CHECK(p.stage.find("waiting for core " + judge.hello().facts.at("core") + who) == 0);
    ++said;
  }
  ::close(held);
  auto out = judge.await();
  CHECK_MESSAGE(out.result == verdict::pass, out.trouble.kind << " " << out.trouble.detail);
}

TEST_CASE("a candidate with threads needs all cores, so it waits for a compiler on one of them") {
  judge_driver judge;
  const auto here = std::stoi(judge.hello().facts.at("core"));
  const auto cores = usable_cores();
  const auto other = std::find_if(cores.begin(), cores.end(), [here](int c) { return c != here; });
  if (other == cores.end()) {
    MESSAGE("skipped: this machine has one core");
    return;
  }
  auto compiling = core_turn::try_share(*other);
  REQUIRE(compiling);
  const auto object = compile_c(read_file(fixture("reference.c")));
  auto request = request_for(poly_task(), object, object, judge_mode::check);
  CHECK(judge.ask(request).result == verdict::pass); // on one core
  request.job = random_id();
  request.task.threads = true;
  judge.send(request);
  auto f = judge.socket().receive(std::chrono::seconds{60});
  REQUIRE(f.has_value());
  REQUIRE(static_cast<frame_kind>(f->kind) == frame_kind::progress);
  const auto p = decode<helper_progress>(f->payload).value();
  CHECK(p.waiting);
  CHECK_MESSAGE(p.stage.starts_with("waiting for core " + std::to_string(*other)), p.stage);
  compiling.reset();
  CHECK(judge.await().result == verdict::pass);
}
