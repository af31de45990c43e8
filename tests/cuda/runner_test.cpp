// Tests the runner on a device: honest kernels pass, and every cheat is rejected by its rule or gains nothing.
#include "backends/nvidia/toolchain.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/cuda/triton_driver.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

std::string why_not() {
  const auto device = why_no_device();
  return device.empty() ? why_no_compiler() : device;
}

bool skip() {
  const auto why = why_not();
  if (!why.empty())
    MESSAGE("skipped: " << why);
  return !why.empty();
}

const std::string& reference() {
  static const auto object = compile_c(iterate_reference, {"-O3", "-march=native"});
  return object;
}

const std::string& plain() {
  static const auto built = compile_cuda(read_text(cuda_path("honest/plain.cu")));
  REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
  return built.artifact;
}

judge_request ask_for(const std::string& package, judge_mode mode) {
  auto r = request_for(iterate_task(), reference(), package, mode);
  r.baseline = plain();
  r.limit_ms = 120'000;
  return r;
}

std::string told(const judge_outcome& o) {
  auto out = to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind + " " + o.trouble.detail;
  for (const auto& [key, value] : o.evidence)
    out += "\n  " + key + " = " + value;
  return out;
}

} // namespace

TEST_CASE("every honest device kernel passes") {
  if (skip())
    return;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  for (const auto& f : load_cuda_fixtures("honest")) {
    CAPTURE(f.name);
    const auto built = compile_cuda(f.source);
    CHECK_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    if (built.result != verdict::pass)
      continue;
    for (const bool cold : {true, false}) {
      CAPTURE(cold);
      auto request = ask_for(built.artifact, judge_mode::check);
      request.task.timing.cold_cache = cold;
      const auto o = runner.ask(request);
      CHECK_MESSAGE(o.result == verdict::pass, told(o));
      CHECK(o.correctness.cases > 0);
    }
  }
}

TEST_CASE("comparison runs on the device, and a task's second candidate finds its sets there") {
  if (skip())
    return;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto o = runner.ask(ask_for(plain(), judge_mode::screening));
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
  CHECK_MESSAGE(o.evidence.at("comparison") == "device", told(o));
  CHECK(o.evidence.at("sets_uploaded") != "0");
  o = runner.ask(ask_for(plain(), judge_mode::check));
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
  const auto again = runner.ask(ask_for(plain(), judge_mode::check));
  CHECK_MESSAGE(again.result == verdict::pass, told(again));
  CHECK(again.evidence.at("sets_uploaded") == "0");
  CHECK(again.evidence.at("ms.copies_back") == "0.000000");
  MESSAGE(told(again)); // shows where the time went
}

// The second request finds the contexts of the first one ready.
TEST_CASE("waiting workers do not count as foreign processes in a screening") {
  if (skip())
    return;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  for (int i = 0; i < 2; ++i) {
    auto request = ask_for(plain(), judge_mode::screening);
    request.task = iterate_task(16'777'216); // needs few input sets
    request.baseline = plain();
    request.screening_ms = 60'000; // until its pairs are used up
    const auto o = runner.ask(request);
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    CHECK(o.evidence.at("launches") != "1");
    CHECK_MESSAGE(o.evidence.count("disturbed") == 0, told(o));
  }
}

TEST_CASE("every device cheat is rejected by its rule, or gains nothing") {
  if (skip())
    return;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  for (const auto& f : load_cuda_fixtures("cheats")) {
    CAPTURE(f.name);
    const auto built = compile_cuda(f.source);
    CHECK_MESSAGE(!built.trouble, built.trouble.detail);
    auto verdict_of = to_string(built.result);
    std::string rule;
    std::string said = built.log.substr(0, 1000);
    if (built.result == verdict::pass) {
      const auto o = runner.ask(ask_for(built.artifact, f.confirmed ? judge_mode::confirm : judge_mode::screening));
      verdict_of =
          o.result == verdict::pass && o.decision != comparison_decision::faster ? "harmless" : to_string(o.result);
      rule = o.rule;
      said = told(o);
    }
    MESSAGE(f.name << ": " << verdict_of << " " << rule);
    CHECK_MESSAGE(std::count(f.expected.begin(), f.expected.end(), verdict_of) == 1, said);
    if (!f.rule.empty())
      CHECK_MESSAGE(rule == f.rule, said);
  }
  // After all these, the same runner judges an honest kernel correctly.
  const auto o = runner.ask(ask_for(plain(), judge_mode::check));
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
}

namespace {

// Returns a final confirmation of few pairs.
judge_request ask_finally(const std::string& package) {
  auto request = ask_for(package, judge_mode::confirm);
  request.min_interval_pairs = 4;
  request.max_pairs = 4;
  request.long_run_ms = 1'000;
  return request;
}

// Returns the sanitizer's path; empty after a message if something is missing.
std::string sanitizer_here() {
  if (skip())
    return {};
  auto found = cuda::find_sanitizer(cuda::find_cuda_toolchain().root);
  if (found.empty())
    MESSAGE("skipped: there is no compute-sanitizer");
  return found;
}

} // namespace

TEST_CASE("a kernel that works for 25 calls passes a screening, and no confirmation") {
  if (skip())
    return;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto built = compile_cuda(read_text(cuda_path("cheats/stops_after_25_calls.cu")));
  REQUIRE_MESSAGE(built.result == verdict::pass, built.log);
  const auto o = runner.ask(ask_for(built.artifact, judge_mode::confirm));
  MESSAGE(told(o));
  CHECK(o.result != verdict::pass);
  CHECK(o.detail.find("right calls of a long run") != std::string::npos);
  const auto honest = runner.ask(ask_for(plain(), judge_mode::confirm));
  CHECK_MESSAGE(honest.result == verdict::pass, told(honest));
  for (const auto& shape : iterate_task().shapes)
    MESSAGE("long run on " << shape.name << ": " << honest.evidence.at("long_run." + shape.name));
}

TEST_CASE("a sanitizer refuses accesses and races that show in no output") {
  const auto sanitizer = sanitizer_here();
  if (sanitizer.empty())
    return;
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--sanitizer", sanitizer}};
  REQUIRE(runner.ready());
  for (const auto& f : load_cuda_fixtures("sanitizer")) {
    CAPTURE(f.name);
    const auto built = compile_cuda(f.source);
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    const auto o = runner.ask(ask_finally(built.artifact));
    MESSAGE(f.name << ": " << told(o));
    CHECK(std::count(f.expected.begin(), f.expected.end(), to_string(o.result)) == 1);
    CHECK(o.rule == f.rule);
  }
}

TEST_CASE("every honest device kernel is clean under the sanitizer") {
  const auto sanitizer = sanitizer_here();
  if (sanitizer.empty())
    return;
  runner_driver runner{{"--allow-weak-sandbox", "landlock", "--sanitizer", sanitizer}};
  REQUIRE(runner.ready());
  for (const auto& f : load_cuda_fixtures("honest")) {
    CAPTURE(f.name);
    const auto built = compile_cuda(f.source);
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    const auto o = runner.ask(ask_finally(built.artifact));
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    CHECK_MESSAGE(o.evidence.count("unsanitised") == 0, told(o));
    for (const auto* key : {"sanitised", "unsanitised", "sanitised.note", "ms.sanitised"})
      if (const auto said = o.evidence.find(key); said != o.evidence.end())
        MESSAGE(f.name << ": " << key << ": " << said->second);
  }
}

TEST_CASE("candidates in Triton are launched as compiled, and judged like any other") {
  if (const auto why = why_no_device() + why_no_triton(); !why.empty()) {
    MESSAGE("skipped: " << why);
    return;
  }
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  for (const auto& f : load_cuda_fixtures("triton")) {
    CAPTURE(f.name);
    const auto built = compile_triton(f.source, iterate_task());
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    const auto o = runner.ask(request_for(iterate_task(), reference(), built.artifact, judge_mode::check));
    MESSAGE(f.name << ": " << to_string(o.result) << " " << o.rule);
    CHECK_MESSAGE(std::count(f.expected.begin(), f.expected.end(), to_string(o.result)) == 1, told(o));
    if (!f.rule.empty())
      CHECK_MESSAGE(o.rule == f.rule, told(o));
  }
}

TEST_CASE("a faster kernel is found faster, a slower one slower, an equal one neither") {
  if (skip())
    return;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto slow = compile_cuda(read_text(cuda_path("honest/whole_grid.cu")));
  REQUIRE(slow.result == verdict::pass);
  auto request = ask_for(plain(), judge_mode::screening);
  request.baseline = slow.artifact;
  request.screening_ms = 20'000;
  const auto faster = runner.ask(request);
  CHECK_MESSAGE(faster.decision == comparison_decision::faster, told(faster));
  CHECK(faster.speedup > 1.0);
  auto other = ask_for(slow.artifact, judge_mode::screening);
  const auto slower = runner.ask(other);
  CHECK_MESSAGE((slower.decision == comparison_decision::slower || slower.decision == comparison_decision::screened),
                told(slower));
  const auto same = runner.ask(ask_for(plain(), judge_mode::screening));
  CHECK_MESSAGE(same.result == verdict::pass, told(same));
}
