#include "tools/kevolve/dispatch/plan.hpp"

#include "tests/dispatch/sample.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::dispatch;
using namespace kevolve::test;

TEST_CASE("each declared shape gets the fastest kernel; held-out shapes choose none") {
  const auto chosen = choose_kernels(sample_task(), {measured({3, 1.5, 2, 9, 9}), measured({2, 4, 3, 1, 1})}, {});
  CHECK(chosen == std::vector<choice>{0, 1, 1, {}, {}});
}

TEST_CASE("as few kernels as possible are chosen without a significant loss") {
  // The second kernel leads on two shapes, but by less than the intervals' width.
  const std::vector<figures> close{measured({3.0, 2.0, 4.0, 1, 1}), measured({3.03, 2.02, 2.0, 1, 1})};
  CHECK(choose_kernels(sample_task(), close, {}) == std::vector<choice>{0, 0, 0, {}, {}});
  // Two kernels suffice although three lead somewhere.
  const std::vector<figures> three{measured({3.0, 1.0, 4.0, 1, 1}), measured({1.0, 2.0, 1.0, 1, 1}),
                                   measured({3.03, 1.0, 1.0, 1, 1})};
  CHECK(choose_kernels(sample_task(), three, {}) == std::vector<choice>{0, 1, 0, {}, {}});
}

TEST_CASE("among equally small sets the faster one is chosen") {
  const std::vector<figures> two{measured({3.0, 3.0, 3.0, 1, 1}), measured({3.03, 3.03, 3.03, 1, 1})};
  CHECK(choose_kernels(sample_task(), two, {}) == std::vector<choice>{1, 1, 1, {}, {}});
}

TEST_CASE("where no kernel is significantly faster, the reference runs") {
  figures unsure = measured({3, 1.005, 3, 1, 1}); // 1.005 may be no gain
  const auto r = plan_regions(sample_task(), {unsure}, {});
  CHECK(kernel_at(r, {{"rows", 1000}, {"cols", 4}}) == choice{0});
  CHECK(kernel_at(r, {{"rows", 4}, {"cols", 1000}}) == choice{});
  CHECK(kernels_in(plan_regions(sample_task(), {measured({1, 0.9, 1, 5, 5})}, {})).empty());
}

TEST_CASE("a held-out shape chooses no kernel, and gets the reference if its region's kernel is slower") {
  const auto kept = plan_regions(sample_task(), {measured({3, 3, 3, 1, 1})}, {});
  CHECK(kernel_at(kept, {{"rows", 1}, {"cols", 1}}) == choice{0});
  const auto drawn = plan_regions(sample_task(), {measured({3, 3, 3, 0.5, 1})}, {});
  CHECK(kernel_at(drawn, {{"rows", 1}, {"cols", 1}}) == choice{});
  CHECK(kernel_at(drawn, {{"rows", 100}, {"cols", 100}}) == choice{0});
  CHECK(kernel_at(drawn, {{"rows", 50}, {"cols", 2000}}) == choice{0});
}

TEST_CASE("a shape assigned to the reference gets it, and the others keep their kernels") {
  const auto r = plan_regions(sample_task(), {measured({3, 3, 3, 1, 1})}, {1});
  CHECK(kernel_at(r, {{"rows", 4}, {"cols", 1000}}) == choice{});
  CHECK(kernel_at(r, {{"rows", 1000}, {"cols", 4}}) == choice{0});
  CHECK(kernel_at(r, {{"rows", 100}, {"cols", 100}}) == choice{0});
}

TEST_CASE("a shape that was not timed does not extend the measured range") {
  const auto r = plan_regions(sample_task(), {measured({3, 3, 3, 0, 1})}, {});
  CHECK(r.measured[0].low == 4);
  CHECK(r.measured[1].low == 4);
  CHECK(r.measured[1].high == 2000);
}

TEST_CASE("only the contract's size arguments are compared") {
  auto task = sample_task();
  task.derived.emplace_back("items", "rows*cols");
  for (auto& s : task.shapes)
    s.sizes["items"] = 7;
  CHECK(size_symbols(task) == std::vector<std::string>{"rows", "cols"});
  CHECK(plan_regions(task, {measured({3, 3, 3, 1, 1})}, {}).measured.size() == 2);
}
