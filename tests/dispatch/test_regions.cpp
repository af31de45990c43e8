#include "tools/kevolve/dispatch/regions.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve::dispatch;

namespace {

labelled_point at(int64_t m, int64_t n, choice kernel) {
  return {{{"m", m}, {"n", n}}, kernel};
}

regions drawn(const std::vector<labelled_point>& points) {
  regions out;
  std::vector<sizes> where;
  for (const auto& p : points)
    where.push_back(p.at);
  out.measured = box_around({"m", "n"}, where);
  out.inside = decide(out.measured, points);
  return out;
}

choice chosen(const regions& r, int64_t m, int64_t n) {
  return kernel_at(r, {{"m", m}, {"n", n}});
}

} // namespace

TEST_CASE("every point gets its kernel") {
  // No single comparison separates these.
  const std::vector<labelled_point> points{at(1, 1, 0), at(100, 100, 0), at(1, 100, 1), at(100, 1, 1), at(10, 10, {})};
  const auto r = drawn(points);
  for (const auto& p : points)
    CHECK(kernel_at(r, p.at) == p.kernel);
}

TEST_CASE("sizes outside the measured ranges use the reference") {
  const auto r = drawn({at(10, 20, 0), at(100, 30, 0)});
  CHECK(chosen(r, 10, 20) == choice{0});
  CHECK(chosen(r, 50, 25) == choice{0});
  for (const auto& [m, n] : std::vector<std::pair<int64_t, int64_t>>{{9, 20}, {101, 20}, {10, 19}, {10, 31}})
    CHECK(chosen(r, m, n) == choice{});
  CHECK(outside_text(r.measured, all_sides(r.measured)) == "m < 10 || m > 100 || n < 20 || n > 30");
}

TEST_CASE("the first rule that applies decides outside the measured ranges") {
  auto r = drawn({at(10, 20, 0), at(100, 20, 0)});
  r.outside = {{{{"m", false}, {"n", false}, {"n", true}}, {}}, {{{"m", true}}, 1}};
  CHECK(chosen(r, 101, 20) == choice{1});
  CHECK(chosen(r, 9, 20) == choice{});
  CHECK(chosen(r, 101, 21) == choice{});
  CHECK(chosen(r, 50, 20) == choice{0});
  const auto rows = rows_of(r);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].when == "m < 10 || n != 20");
  CHECK(rows[1].when == "m > 100");
  CHECK(rows[1].kernel == choice{1});
}

TEST_CASE("a border lies between the shapes, at the widest gap, in the geometric middle") {
  const auto r = drawn({at(10, 7, 0), at(1000, 8, 1)});
  REQUIRE(r.inside.parts.size() == 2);
  CHECK(r.inside.factors == std::vector<std::string>{"m"});
  CHECK(r.inside.most == 100);
  CHECK(comparison_text(r.inside, false) == "m <= 100");
  CHECK(comparison_text(r.inside, true) == "m > 100");
  CHECK(drawn({at(10, 8, 0), at(12, 800, 1)}).inside.factors == std::vector<std::string>{"n"});
  // For consecutive sizes, the border is the lower one.
  CHECK(drawn({at(1, 7, 0), at(2, 7, 1)}).inside.most == 1);
  CHECK(drawn({at(0, 7, 0), at(1, 7, 1)}).inside.most == 0);
}

TEST_CASE("the product of the sizes is compared if it alone separates the kernels") {
  const auto r =
      drawn({at(4, 1000, 0), at(1000, 4, 0), at(1000, 1000, 1), at(4, 4, 0), at(900, 40, 1), at(40, 900, 1)});
  CHECK(r.inside.factors == std::vector<std::string>{"m", "n"});
  CHECK(comparison_text(r.inside, false) == "m * n <= 12000");
}

TEST_CASE("a product that could overflow is not compared") {
  const auto huge = int64_t{1} << 40U;
  const auto r = drawn({at(1, huge, 0), at(huge, 1, 0), at(huge, huge, 1)});
  std::vector<const decision*> open{&r.inside};
  while (!open.empty()) {
    const auto* d = open.back();
    open.pop_back();
    CHECK(d->factors.size() < 2);
    for (const auto& p : d->parts)
      open.push_back(&p);
  }
  CHECK(chosen(r, huge, huge) == choice{1});
  CHECK(chosen(r, 1, huge) == choice{0});
}

TEST_CASE("points that no size separates get the reference if they disagree") {
  CHECK(chosen(drawn({at(5, 5, 0), at(5, 5, 1)}), 5, 5) == choice{});
}

TEST_CASE("rows list every region and its kernel") {
  const auto rows = rows_of(drawn({at(10, 7, 0), at(1000, 7, 1)}));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].when == "m < 10 || m > 1000 || n != 7");
  CHECK(rows[0].kernel == choice{});
  CHECK(rows[1].when == "m <= 100");
  CHECK(rows[1].kernel == choice{0});
  CHECK(rows[2].when == "m > 100");
  CHECK(rows[2].kernel == choice{1});
  CHECK(rows_of(drawn({at(1, 1, 0)}))[1].when == "inside");
}
