// Tests the long runs of a confirmation with the fake driver.
#include "tests/cuda/fake_device.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

judge_request confirmation_of(const std::string& candidate) {
  static const auto reference = compile_c(iterate_reference, {"-O3", "-march=native"});
  auto r = request_for(iterate_task(20'000), reference, candidate, judge_mode::confirm);
  r.task.work_bytes.clear();
  r.baseline = fake_package("iterate_slowly");
  r.limit_ms = 600'000; // a busy machine starts workers slowly
  return r;
}

// A contract that leaves nothing to choose has no adversarial draws, which are calls as well.
judge_request without_draws(judge_request r) {
  for (auto& a : r.task.arguments)
    if (a.role == argument_role::size)
      set_size_rule(a, {.declared_only = true});
    else
      a.is_static = true;
  return r;
}

std::string told(const judge_outcome& o) {
  return to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind + " " + o.trouble.detail;
}

} // namespace

TEST_CASE("a kernel that works for 25 calls passes a screening, and no confirmation") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = without_draws(confirmation_of(fake_package("iterate_for_25_calls")));
  request.mode = judge_mode::screening;
  const auto screened = runner.ask_timed(request);
  CHECK_MESSAGE(screened.result == verdict::pass, told(screened));
  CHECK(screened.decision == comparison_decision::faster);
  request.mode = judge_mode::confirm;
  request.min_interval_pairs = 4; // few enough for its processes not to reach the 26th call
  request.max_pairs = 4;
  request.long_run_ms = 0;
  const auto without = runner.ask_timed(request);
  CHECK_MESSAGE(without.result == verdict::pass, told(without));
  request.long_run_ms = 60'000; // ends at the first wrong call
  const auto o = runner.ask(request);
  CHECK_MESSAGE(o.result == verdict::nonfinite, told(o));
  CHECK(o.detail.find("right calls of a long run") != std::string::npos);
}

TEST_CASE("a kernel that works for 25 calls fails on the adversarial draws of a screening") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = confirmation_of(fake_package("iterate_for_25_calls"));
  request.mode = judge_mode::screening;
  const auto o = runner.ask_timed(request);
  CHECK_MESSAGE((o.result == verdict::nonfinite || o.result == verdict::wrong_result), told(o));
  CHECK(o.evidence.count("draw") == 1);
}

TEST_CASE("a kernel that is wrong on equal values alone fails where every allowed array is large") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto large = [](const std::string& kernel) {
    auto request = confirmation_of(fake_package(kernel));
    request.mode = judge_mode::check;      // what a confirmation asks, but for times
    constexpr int64_t rounds = 10'000'000; // makes every allowed call too much work for a plan of cheap draws
    request.task.arguments.push_back(size_argument("rounds"));
    set_size_rule(request.task.arguments.back(), {.least = rounds});
    for (auto& shape : request.task.shapes)
      shape.sizes["rounds"] = rounds;
    return request;
  };
  const auto wrong = runner.ask(large("iterate_unless_all_are_equal"));
  CHECK_MESSAGE(wrong.result == verdict::wrong_result, told(wrong));
  CHECK(wrong.evidence.at("draw").find("all equal") != std::string::npos);
  const auto right = runner.ask(large("iterate"));
  CHECK_MESSAGE(right.result == verdict::pass, told(right));
  CHECK(std::stoul(right.evidence.at("draws.large_shapes")) >= 4); // two of each of two shapes
}

TEST_CASE("a confirmation tells how many calls each compared shape answered in one process") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto o = runner.ask_timed(confirmation_of(fake_package("iterate")));
  CHECK_MESSAGE(o.decision == comparison_decision::faster, told(o));
  CHECK(o.evidence.at("launches") == "2"); // the comparison's process has met no set
  for (const auto* shape : {"n=20000", "n=100003"})
    CHECK(std::stoul(o.evidence.at(std::string{"long_run."} + shape)) > 0);
}
