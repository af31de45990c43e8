// Tests the draws with chosen values at declared sizes, those of large shapes among them, and what a report says of
// them.
#include "backends/judge/adversarial_draws.hpp"
#include "backends/judge/draw_coverage.hpp"
#include "tests/support/arguments.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;

namespace {

// Adds two matrices of one large shape; nothing of it can be smaller.
contract large_sum() {
  contract c;
  c.name = "sum";
  c.entry = "sum";
  c.arguments = {input_argument("x", dtype::f32, {"16384", "16384"}, "normal"),
                 input_argument("bias", dtype::f32, {"16384"}, "normal"),
                 array_argument("y", argument_role::output, dtype::f32, {"16384", "16384"})};
  shape_case fixed;
  fixed.name = "fixed";
  c.shapes = {fixed};
  return c;
}

contract rows_of(int64_t rows) {
  contract c;
  c.name = "rows";
  c.entry = "rows";
  c.arguments = {input_argument("x", dtype::f32, {"rows", "4096"}, "normal"),
                 array_argument("y", argument_role::output, dtype::f32, {"rows", "4096"}),
                 array_argument("rows", argument_role::size, dtype::i64, {})};
  c.shapes = {shape_of("", {{"rows", rows}})};
  return c;
}

} // namespace

TEST_CASE("a shape beyond every budget has the draws that tell most, equal values first") {
  const auto task = large_sum();
  CHECK(plan_declared_draws(task).draws.empty());
  const auto plans = plan_large_draws(task, {});
  REQUIRE(plans.size() == 1);
  const auto& draws = plans[0].draws;
  REQUIRE(draws.size() == 3);
  CHECK(plans[0].least == 2);
  CHECK(to_string(task, draws[0]) == "x all equal to 3, bias all equal to 3");
  for (const auto argument : {0U, 1U}) {
    CHECK(draws[0].values[argument].pattern == value_pattern::all_equal);
    CHECK(draws[0].values[argument].value > 0.0);
    CHECK(draws[1].values[argument].pattern == value_pattern::alone); // one element differs from the draw before
    CHECK(draws[1].values[argument].other == draws[0].values[argument].value);
    CHECK(draws[2].values[argument].pattern == value_pattern::all_equal);
    CHECK(draws[2].values[argument].value < 0.0);
  }
}

TEST_CASE("a constant of the sources comes before the other end, in the largest array that may hold it") {
  const auto plans = plan_large_draws(large_sum(), {0.0, 1.0, 4096.0, 2.25, 0.5});
  REQUIRE(plans.size() == 1);
  REQUIRE(plans[0].draws.size() == 4);
  CHECK(plans[0].draws[2].values[0] == value_choice{value_pattern::all_equal, 2.25, 0.0});
  CHECK(plans[0].draws[2].values[1] == value_choice{});
}

TEST_CASE("a candidate's own constants add one draw, so that its other draws are those of every candidate") {
  CHECK(plan_large_constants(large_sum(), {}).empty());
  const auto plans = plan_large_constants(large_sum(), {1.0, 4.5, 2.25});
  REQUIRE(plans.size() == 1);
  REQUIRE(plans[0].draws.size() == 1);
  CHECK(plans[0].least == 1);
  CHECK(plans[0].draws[0].values[0] == value_choice{value_pattern::all_equal, 4.5, 0.0});
}

TEST_CASE("shapes that have four affordable draws have no others, and large ones beside them do") {
  auto task = rows_of(16);
  CHECK(plan_large_draws(task, {}).empty());
  task.shapes.push_back(shape_of("", {{"rows", 1 << 20}}));
  task.shapes.back().held_out = true;
  const auto plans = plan_large_draws(task, {});
  REQUIRE(plans.size() == 1);
  for (const auto& draw : plans[0].draws) {
    CHECK(draw.held_out);
    CHECK(draw.sizes.at("rows") == 1 << 20);
  }
}

TEST_CASE("an affordable draw of a shape that has too few is not planned twice") {
  const auto task = rows_of(600); // 2.5 million elements an array: three draws are affordable
  const auto affordable = plan_declared_draws(task).draws;
  CHECK(affordable.size() == 3);
  for (const auto& plan : plan_large_draws(task, {}))
    for (const auto& draw : plan.draws)
      CHECK(std::find(affordable.begin(), affordable.end(), draw) == affordable.end());
}

TEST_CASE("two draws of every affordable shape are made before time may end the plan") {
  auto task = rows_of(16);
  task.shapes.push_back(shape_of("", {{"rows", 3}}));
  const auto plan = plan_declared_draws(task);
  CHECK(plan.least == 4);
  for (size_t i = 0; i < plan.least; ++i)
    CHECK(plan.draws[i].sizes.at("rows") == (i < 2 ? 16 : 3));
}

TEST_CASE("lengths stay as declared where arrays are large: at their ends they would be larger still") {
  contract c;
  auto lengths = input_argument("lengths", dtype::i64, {"rows"}, "lengths");
  lengths.fill.high = 50.0;
  c.arguments = {lengths, input_argument("x", dtype::f32, {"items"}, "normal"),
                 array_argument("y", argument_role::output, dtype::f32, {"rows"}),
                 array_argument("rows", argument_role::size, dtype::i64, {})};
  c.derived = {{"items", "sum(lengths)"}};
  c.shapes = {shape_of("", {{"rows", 1 << 22}})};
  const auto plans = plan_large_draws(c, {});
  REQUIRE(plans.size() == 1);
  for (const auto& draw : plans[0].draws) {
    CHECK(draw.values[0] == value_choice{});
    CHECK(draw.values[1].pattern != value_pattern::declared);
  }
}

TEST_CASE("the account of a task without sizes speaks of none") {
  const auto task = large_sum();
  draw_coverage none{task};
  CHECK(none.tried().starts_with("Adversarial draws: none; "));
  CHECK(none.not_tried().starts_with("Not tried: arrays of other sizes, which the task does not allow"));
  CHECK(none.not_tried().find("combinations") == std::string::npos);
  draw_coverage some{task};
  const value_choice equal{value_pattern::all_equal, 1.0, 0.0};
  some.add({}, {equal, equal, {}});
  CHECK(some.tried()
        == "1 adversarial draw at the task's fixed sizes; values all equal 1. Such values at declared shapes: 'fixed' "
           "1.");
}

TEST_CASE("the account of a task with sizes names no largest size where no draw had one") {
  const auto task = rows_of(16);
  CHECK(draw_coverage{task}.not_tried().starts_with("Not tried: sizes other than the declared ones; values outside"));
  draw_coverage held_out{task};
  held_out.add({{"rows", 77}}, {{value_pattern::all_equal, 1.0, 0.0}, {}, {}}, true);
  CHECK(held_out.tried().starts_with("1 adversarial draw of held-out shapes alone; values all equal 1."));
  CHECK(held_out.tried().find("77") == std::string::npos);
}
