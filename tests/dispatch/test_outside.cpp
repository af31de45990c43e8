#include "tools/kevolve/dispatch/outside.hpp"

#include "tests/dispatch/sample.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

using namespace kevolve;
using namespace kevolve::dispatch;
using namespace kevolve::test;

namespace {

constexpr auto endless = std::numeric_limits<double>::infinity();

contract task_of(const std::vector<sizes>& shapes, size_t probes = 0) {
  auto t = sample_task();
  t.shapes.clear();
  for (size_t s = 0; s < shapes.size(); ++s)
    t.shapes.push_back({shape_name(t, shapes[s]), shapes[s], s + probes >= shapes.size(), 1.0});
  return t;
}

sizes at(int64_t rows, int64_t cols) {
  return {{"rows", rows}, {"cols", cols}};
}

// Two shapes, and probes above and below each of their sizes.
const std::vector<sizes> probed{at(8, 1000),  at(500, 16), at(2, 1000), at(1000, 16),
                                at(2000, 16), at(500, 4),  at(8, 2000), at(8, 4000)};

regions planned(const std::vector<figures>& kernels, const std::set<size_t>& to_reference = {}) {
  return plan_regions(task_of(probed, 6), kernels, to_reference, {0, {}, 6});
}

} // namespace

TEST_CASE("each size is probed at a quarter of its smallest value, and at twice and four times its largest") {
  const auto p = probes_of(task_of({at(8, 1000), at(500, 16)}), endless);
  std::vector<sizes> found;
  for (const auto& s : p.to_judge)
    found.push_back(s.sizes);
  // The other size is that of the shape with the extreme value. The range of cols, 62 to 1, and that of rows are wide.
  CHECK(found == std::vector<sizes>{at(500, 4), at(8, 2000), at(8, 4000), at(2, 1000), at(1000, 16), at(2000, 16)});
  CHECK(p.to_judge[0].name == "rows=500 cols=4");
  CHECK(p.unseen.empty());
}

TEST_CASE("a size of 1 has no smaller probe, and a constant size has probes") {
  const auto p = probes_of(task_of({at(1, 64)}), endless);
  REQUIRE(p.to_judge.size() == 5);
  const auto small = probes_of(task_of({at(3, 1)}), endless).to_judge;
  CHECK(std::count_if(small.begin(), small.end(), [](const shape_case& s) { return s.sizes == at(1, 1); }) == 1);
  CHECK(small.size() == 5); // a quarter of 3 is less than 1, and there is nothing below 1
}

TEST_CASE("probes that take too much memory are not judged") {
  // Two arrays of floats: 64,000 bytes at the first shape.
  const auto p = probes_of(task_of({at(8, 1000), at(500, 16)}), 128'000.0);
  CHECK(p.to_judge.size() == 4);
  CHECK(p.unseen == std::vector<sizes>{at(8, 4000), at(2000, 16)});
}

TEST_CASE("beyond a side the fastest kernel at its probes runs") {
  //                              own     rows<     rows>      cols<  cols>
  const auto steady = measured({2, 2, /**/ 2, /**/ 2, 2, /**/ 2, /**/ 2, 2});
  const auto large = measured({2, 2, /**/ 0.5, /**/ 9, 9, /**/ 1, /**/ 9, 9});
  const auto r = planned({steady, large});
  CHECK(kernel_at(r, at(1'000'000, 100)) == choice{1});
  CHECK(kernel_at(r, at(100, 1'000'000)) == choice{1});
  CHECK(kernel_at(r, at(1, 100)) == choice{0});
  CHECK(kernel_at(r, at(100, 1)) == choice{0});
  CHECK(kernels_in(r) == std::vector<size_t>{0, 1});
}

TEST_CASE("a kernel that is wrong, untimed, slower or not shown to be as fast at a probe does not run beyond it") {
  for (const auto bad : {0.0, 0.9, 0.975}) {
    INFO(bad);
    const auto r = planned({measured({2, 2, 2, 2, bad, 2, 2, 2})});
    CHECK(kernel_at(r, at(501, 100)) == choice{});
    CHECK(kernel_at(r, at(100, 1001)) == choice{0});
    CHECK(kernel_at(r, at(501, 1001)) == choice{}); // beyond two sides, one of which is the reference's
    CHECK(kernel_at(r, at(500, 16)) == choice{0});
  }
  // The next best runs, though the other is faster on the whole.
  const auto unsure = measured({2, 2, 2, 9, 0.975, 2, 2, 2});
  CHECK(kernel_at(planned({measured({2, 2, 2, 2, 2, 2, 2, 2}), unsure}), at(501, 100)) == choice{0});
  // A kernel that is only as fast as the reference does not run either.
  CHECK(kernel_at(planned({measured({2, 2, 2, 1, 1, 2, 2, 2})}), at(501, 100)) == choice{});
}

TEST_CASE("a side without a probe, or with a shape assigned to the reference, gets the reference") {
  const auto all = measured({2, 2, 2, 2, 2, 2, 2, 2});
  CHECK(kernel_at(planned({all}, {4}), at(501, 100)) == choice{});
  CHECK(kernel_at(planned({all}, {4}), at(7, 100)) == choice{0});
  const auto r = plan_regions(task_of({at(8, 1000), at(500, 16)}), {measured({2, 2})}, {});
  CHECK(r.outside.empty());
  CHECK(kernel_at(r, at(501, 100)) == choice{});
}

TEST_CASE("probes do not extend the measured range and choose nothing inside it") {
  const auto r = planned({measured({2, 1, 2, 2, 2, 2, 2, 2}), measured({1, 2, 9, 9, 9, 9, 9, 9})});
  CHECK(r.measured[0].high == 500);
  CHECK(r.measured[1].low == 16);
  CHECK(kernel_at(r, at(8, 1000)) == choice{0});
  CHECK(kernel_at(r, at(500, 16)) == choice{1});
}

TEST_CASE("probes keep to a size's minimum and multiple") {
  auto t = task_of({at(8, 1000), at(500, 96)});
  const auto probed_of = [&](const std::string& name) {
    std::vector<int64_t> out;
    for (const auto& s : probes_of(t, endless).to_judge)
      if (const auto value = s.sizes.at(name);
          value != (name == "rows" ? 8 : 1000) && value != (name == "rows" ? 500 : 96))
        out.push_back(value);
    std::sort(out.begin(), out.end());
    return out;
  };
  set_size_rule(t.arguments[2], {.least = 3});
  set_size_rule(t.arguments[3], {.step = 8});
  CHECK(probed_of("rows") == std::vector<int64_t>{3, 1000, 2000}); // and not 2
  CHECK(probed_of("cols") == std::vector<int64_t>{24, 2000, 4000});
  set_size_rule(t.arguments[3], {.least = 5, .step = 32});
  CHECK(probed_of("cols") == std::vector<int64_t>{32, 2000, 4000}); // and not 24
  set_size_rule(t.arguments[2], {.least = 8});
  CHECK(probed_of("rows") == std::vector<int64_t>{1000, 2000}); // the task allows no smaller one
}

TEST_CASE("a task that allows its declared sizes alone is not probed beyond them") {
  auto t = task_of({at(8, 1000), at(500, 16)});
  set_size_rule(t.arguments[2], {.declared_only = true});
  set_size_rule(t.arguments[3], {.declared_only = true});
  CHECK(probes_of(t, endless).to_judge.empty());
  CHECK(probes_of(t, endless).unseen.empty());
}
