// Tests the prediction of what judging a task takes of a GPU.
#include "backends/judge/device_demand.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

contract task_of(int64_t n, const std::string& language) {
  contract c;
  c.language = language;
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                 array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  c.shapes = {shape_of("n", {{"n", n}})};
  return c;
}

} // namespace

TEST_CASE("a larger shape takes more seconds and memory of a device") {
  const auto small = demand_of(task_of(1 << 20, "pytorch"));
  const auto large = demand_of(task_of(1 << 28, "pytorch"));
  REQUIRE(small);
  REQUIRE(large);
  CHECK(large->first_seconds > small->first_seconds);
  CHECK(large->confirm_seconds > small->confirm_seconds);
  // Inputs of 1 GiB, twice in a set of 4 GiB, and what the oracle and the arena need: 4 * 2 + 3 + 6 + 4.
  CHECK(large->memory_bytes == doctest::Approx(21.0 * (1 << 30)));
  CHECK(to_string(*large).find("on shape 'n'") != std::string::npos);
}

TEST_CASE("inputs that the host draws take longer") {
  auto task = task_of(1 << 28, "pytorch");
  const auto there = demand_of(task);
  task.arguments[1].nonfinite_match = true;
  const auto here = demand_of(task);
  CHECK(there->drawn_on_device);
  CHECK_FALSE(here->drawn_on_device);
  CHECK(here->first_seconds > there->first_seconds);
}

TEST_CASE("a task whose sizes depend on data has no prediction") {
  auto task = task_of(1 << 20, "pytorch");
  task.derived = {{"total", "sum(x)"}};
  CHECK_FALSE(demand_of(task));
}
