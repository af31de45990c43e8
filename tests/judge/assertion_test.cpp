// The check of a task's assertions on drawn values.
#include "backends/judge/assertion_check.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

// Returns a task that draws `at` between 0 and 9, for 100 elements.
judge_request request(assertion_kind kind, judge_mode mode = judge_mode::admit) {
  judge_request q;
  q.mode = mode;
  auto& c = q.task;
  c.language = "c";
  c.arguments = {array_argument("at", argument_role::input, dtype::i32, {"n"}),
                 array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  c.arguments[0].fill.distribution = "integer";
  c.arguments[0].fill.low = 0;
  c.arguments[0].fill.high = 9;
  c.shapes = {shape_of("n=100", {{"n", 100}})};
  assertion a;
  a.kind = kind;
  a.argument = "at";
  c.assertions = {a};
  return q;
}

// Returns how a draw of the task contradicts it.
attempt<void> held(const judge_request& q) {
  auto drawn = draw_call(q.task, q.task.shapes[0], {});
  REQUIRE(drawn);
  return hold_assertions(q, q.task.shapes[0], *drawn);
}

} // namespace

TEST_CASE("a range that the draws keep holds, and a narrower one refuses the task with element, bound and draw") {
  auto q = request(assertion_kind::range);
  q.task.assertions[0].low = "0";
  q.task.assertions[0].high = "n - 1";
  CHECK(held(q));
  q.task.assertions[0].high = "n / 20"; // 5
  const auto out = held(q);
  REQUIRE_FALSE(out);
  const auto& refused = out.error().refused;
  CHECK(refused.result == verdict::wrong_result);
  CHECK(refused.rule == "false_assertion");
  CHECK(refused.detail.find("on a draw of shape 'n=100' with n=100: at[") != std::string::npos);
  CHECK(refused.detail.find("n / 20 is 5 here") != std::string::npos);
  q.task.assertions[0].low = "1";
  q.task.assertions[0].high = "";
  CHECK_FALSE(held(q));
}

TEST_CASE("values that are drawn in any order are not sorted, and equal ones are not strictly so") {
  auto q = request(assertion_kind::sorted);
  const auto out = held(q);
  REQUIRE_FALSE(out);
  CHECK(out.error().refused.detail.find("the values of 'at' ascend") != std::string::npos);
  q.task.arguments[0].fill.low = q.task.arguments[0].fill.high = 3;
  CHECK(held(q));
  q.task.assertions[0].strict = true;
  CHECK_FALSE(held(q));
}

TEST_CASE("an assertion about a size is checked without any array") {
  auto q = request(assertion_kind::range);
  q.task.assertions[0].argument = "n";
  q.task.assertions[0].high = "100";
  CHECK(held(q));
  q.task.assertions[0].high = "99";
  CHECK_FALSE(held(q));
}

TEST_CASE("after the admission a false assertion is a fault: no candidate is to blame") {
  auto q = request(assertion_kind::range, judge_mode::confirm);
  q.task.assertions[0].high = "3";
  const auto out = held(q);
  REQUIRE_FALSE(out);
  CHECK(out.error().trouble.kind == "internal");
  CHECK(out.error().refused.result == verdict::none);
}

TEST_CASE("an array without values on this side is not checked") {
  auto q = request(assertion_kind::range);
  q.task.assertions[0].high = "3";
  draw_options options;
  options.elsewhere = {true, false, false};
  const auto drawn = draw_call(q.task, q.task.shapes[0], options);
  REQUIRE(drawn);
  CHECK(hold_assertions(q, q.task.shapes[0], *drawn));
}
