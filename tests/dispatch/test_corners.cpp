#include "tools/kevolve/dispatch/corners.hpp"

#include "tests/dispatch/sample.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using namespace kevolve::dispatch;
using namespace kevolve::test;

namespace {

contract task_of(const std::vector<sizes>& shapes) {
  auto t = sample_task();
  t.shapes.clear();
  for (const auto& s : shapes)
    t.shapes.push_back({"", s, false, 1.0});
  return t;
}

sizes at(int64_t rows, int64_t cols) {
  return {{"rows", rows}, {"cols", cols}};
}

} // namespace

TEST_CASE("corners of the box around the shapes are judged, unless they are far larger than any shape") {
  const auto c = corners_of(task_of({at(8, 1000), at(500, 16)}));
  REQUIRE(c.to_judge.size() == 1);
  CHECK(c.to_judge[0].sizes == at(8, 16));
  CHECK(c.to_judge[0].name == "rows=8 cols=16");
  CHECK(c.to_judge[0].held_out);
  CHECK(c.unseen == std::vector<sizes>{at(500, 1000)});
  CHECK(corners_of(task_of({at(29, 100), at(100, 64)})).unseen.empty()); // one and a half times the largest
}

TEST_CASE("a corner that is a shape, and a size that does not vary, add none") {
  CHECK(corners_of(task_of({at(8, 1000)})).to_judge.empty());
  CHECK(corners_of(task_of({at(8, 1000), at(8, 16)})).to_judge.empty());
  const auto c = corners_of(task_of({at(8, 16), at(8, 1000), at(500, 1000)}));
  REQUIRE(c.to_judge.size() == 1);
  CHECK(c.to_judge[0].sizes == at(500, 16));
  CHECK(c.unseen.empty());
}

TEST_CASE("only the widest ranges of many sizes have corners") {
  contract t;
  shape_case small{"", {}, false, 1.0};
  shape_case large = small;
  for (int i = 0; i < 6; ++i) {
    argument a;
    a.name = "s" + std::to_string(i);
    a.role = argument_role::size;
    t.arguments.push_back(a);
    small.sizes[a.name] = 10;
    large.sizes[a.name] = 10 + i;
  }
  t.shapes = {small, large};
  const auto c = corners_of(t);
  CHECK(c.to_judge.size() + c.unseen.size() == 15); // one of 16 is a shape
  CHECK(std::all_of(c.to_judge.begin(), c.to_judge.end(),
                    [](const shape_case& s) { return s.sizes.at("s0") == 10 && s.sizes.at("s1") == 10; }));
}

TEST_CASE("memory limits corners as work does") {
  auto t = task_of({at(1000, 10), at(10, 1000)});
  t.arguments[0].shape = {"rows", "rows"};
  t.arguments[1].shape = {"cols"};
  const auto c = corners_of(t); // rows=1000 takes 4 MB with any cols
  REQUIRE(c.to_judge.size() == 1);
  CHECK(c.to_judge[0].sizes == at(10, 10));
  CHECK(c.unseen == std::vector<sizes>{at(1000, 1000)}); // a hundred times the work
  t.shapes[0].sizes = at(10, 10);
  t.shapes[1].sizes = at(1000, 1);
  t.arguments[1].shape = {"cols", "cols", "cols", "cols"};
  CHECK(corners_of(t).to_judge.size() == 1); // rows=10 cols=1
}

TEST_CASE("a size computed by [derived] is compared, a data-dependent one is not") {
  auto t = task_of({at(8, 16), at(500, 1000)});
  t.derived = {{"items", "rows*cols"}, {"total", "sum(x)"}};
  for (const auto* name : {"items", "total"}) {
    argument a;
    a.name = name;
    a.role = argument_role::size;
    t.arguments.push_back(a);
  }
  CHECK(size_symbols(t) == std::vector<std::string>{"rows", "cols", "items"});
  CHECK(complete_sizes(t, at(3, 4)) == sizes{{"rows", 3}, {"cols", 4}, {"items", 12}});
  CHECK(plan_regions(t, {measured({3, 3})}, {}).measured.size() == 3);
  t.derived.front().second = "1000/(rows-cols)"; // has no value at one corner
  CHECK(plan_regions(t, {measured({3, 3})}, {}, {0, {at(8, 8)}}).measured.size() == 3);
}

TEST_CASE("a shape between the task's own gets the fastest kernel there; without one it changes nothing") {
  auto t = task_of({at(8, 1000), at(500, 16), at(8, 16), at(500, 1000)});
  t.shapes[2].held_out = t.shapes[3].held_out = true;
  const std::vector<figures> kernels{measured({3, 3, 1, 1}), measured({2, 2, 20, 1})};
  const auto r = plan_regions(t, kernels, {}, {2, {}});
  CHECK(kernel_at(r, at(8, 16)) == choice{1});
  CHECK(kernel_at(r, at(8, 1000)) == choice{0});
  CHECK(kernel_at(r, at(500, 16)) == choice{0});
  CHECK(kernel_at(r, at(500, 1000)) == choice{0});
  // Held-out shapes of the task with the same sizes choose nothing.
  CHECK(kernel_at(plan_regions(t, kernels, {}), at(8, 16)) == choice{0});
}

TEST_CASE("sizes not judged use the reference; judged ones use the kernel unless it is slower there") {
  const auto t = task_of({at(8, 1000), at(500, 16), at(8, 16)});
  const auto r = plan_regions(t, {measured({3, 3, 3})}, {}, {0, {at(500, 1000)}});
  CHECK(kernel_at(r, at(500, 1000)) == choice{});
  CHECK(kernel_at(r, at(8, 16)) == choice{0});
  CHECK(kernel_at(r, at(8, 1000)) == choice{0});
  CHECK(kernel_at(r, at(500, 16)) == choice{0});
}

TEST_CASE("a task that allows its declared sizes alone has no corners and no probes") {
  auto t = task_of({at(8, 1000), at(500, 16)});
  for (auto& a : t.arguments)
    if (a.role == argument_role::size)
      set_size_rule(a, {.declared_only = true});
  CHECK(corners_of(t).to_judge.empty());
  CHECK(corners_of(t).unseen.empty());
}
