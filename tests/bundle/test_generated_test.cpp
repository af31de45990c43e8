#include "tests/bundle/sample.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::test;

namespace {

argument array(const std::string& name, argument_role role, dtype type, std::vector<std::string> shape) {
  argument a;
  a.name = name;
  a.role = role;
  a.type = type;
  a.shape = std::move(shape);
  return a;
}

} // namespace

TEST_CASE("each declared shape is run once") {
  auto b = sample_bundle();
  auto text = *test_source(b);
  CHECK(times(text, "run_shape(\"") == 1);
  CHECK(has(text, "run_shape(\"n=8\", INT64_C(8))"));
  CHECK(has(text, "%d of 1 shapes wrong"));
  b.task.shapes.push_back({"n=9 \"\\", {{"n", 9}}, true, 1.0});
  text = *test_source(b);
  CHECK(times(text, "run_shape(\"") == 2);
  CHECK(has(text, R"(run_shape("n=9 \"\\", INT64_C(9)))"));
}

TEST_CASE("the exact result is computed in double, with integers unchanged") {
  auto b = sample_bundle();
  b.task.arguments.push_back(array("k", argument_role::input, dtype::i32, {"n"}));
  b.task.arguments.back().fill = {"integer", 0, 1, -3, 9, "", 1};
  const auto text = *test_source(b);
  CHECK(has(text, "void kevolve_oracle(const double *x, double *y, int64_t n, const int32_t *k);"));
  CHECK(has(text, "kt_draw_integer(&a_k, (-3.0), 9.0);"));
  CHECK(has(text, "kt_compare(shape, &a_y, a_y.count, (kt_tolerance){KT_ABSREL, "));
  CHECK(has(text, "kt_unchanged(shape, &a_k)"));
  CHECK_FALSE(has(text, "#define KT_HAS_F16"));
}

TEST_CASE("data-dependent values are drawn after their data") {
  auto b = sample_bundle();
  auto& t = b.task;
  auto inner = array("len", argument_role::input, dtype::i64, {"n"});
  inner.fill.distribution = "lengths";
  auto offsets = array("off", argument_role::input, dtype::i64, {"n+1"});
  offsets.fill.distribution = "offsets";
  offsets.fill.of = "len";
  auto flat = array("flat", argument_role::input, dtype::f16, {"items"});
  t.arguments.insert(t.arguments.begin(), {flat, offsets, inner});
  t.derived = {{"items", "sum(len)"}};
  const auto text = *test_source(b);
  const auto drawn = text.find("kt_draw_integer(&a_len");
  const auto summed = text.find("const int64_t s_items = kt_sum(&a_len);");
  REQUIRE(drawn != std::string::npos);
  REQUIRE(summed != std::string::npos);
  CHECK(drawn < summed);
  CHECK(summed < text.find("kt_make(&a_flat"));
  CHECK(drawn < text.find("kt_draw_offsets(&a_off, &a_len)"));
  CHECK(has(text, "#define KT_HAS_F16"));
}

TEST_CASE("a valid prefix and its tail are checked separately") {
  auto b = sample_bundle();
  b.task.arguments[1].extent = "count";
  b.task.arguments[1].tail_untouched = true;
  b.task.arguments.push_back(array("count", argument_role::output, dtype::i64, {"1"}));
  const auto text = *test_source(b);
  CHECK(has(text, "kt_compare(shape, &a_y, kt_valid(&a_y, a_count.oracle), "));
  CHECK(has(text, "kt_tail_untouched(shape, &a_y, kt_valid(&a_y, a_count.oracle))"));
  CHECK(has(text, "kt_compare(shape, &a_count, a_count.count, (kt_tolerance){KT_EXACT"));
}

TEST_CASE("a task whose inputs cannot be drawn is refused") {
  auto b = sample_bundle();
  b.task.arguments[0].fill.distribution = "zipf";
  auto said = test_source(b);
  REQUIRE_FALSE(said);
  CHECK(has(said.error().detail, "'x': the bundle's test cannot draw 'zipf'"));
  b = sample_bundle();
  b.task.arguments[0].shape = {"unknown"};
  said = test_source(b);
  REQUIRE_FALSE(said);
  CHECK(has(said.error().detail, "never known"));
}
