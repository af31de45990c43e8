// Tests the checks of a plan without a device.
#include "backends/launch_plan/plan_check.hpp"

#include "tests/support/plan_tasks.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

std::string kernel(const std::string& more) {
  return "[[kernel]]\nname='k'\narguments=['x', 'y', 'rows', 'eps']\n" + more;
}

std::string misfits(const std::string& toml, const std::map<std::string, kernel_facts>& facts = {},
                    const contract& task = rows_task(), uint32_t capability = 90) {
  const auto plan = parse_plan(toml, task);
  REQUIRE_MESSAGE(plan.has_value(), (plan ? "" : to_string(plan.error())));
  return plan_errors(in_their_lines(plan_misfits(*plan, task, published_limits(capability), facts), toml),
                     "candidate.cu", 2);
}

kernel_facts taking(std::vector<uint32_t> parameters) {
  kernel_facts out;
  out.parameters = std::move(parameters);
  out.parameters_known = true;
  return out;
}

kernel_facts taking_shared(uint32_t bytes) {
  kernel_facts out;
  out.static_shared = bytes;
  return out;
}

} // namespace

TEST_CASE("a plan's errors have the candidate's line numbers") {
  const auto plan = parse_plan("[[kernel]]\nname='k'\nblok=[1]\ngrid=[1]\nblock=[1]\narguments=['z']\n", rows_task());
  REQUIRE_FALSE(plan.has_value());
  const auto text = plan_errors(plan.error(), "candidate.cu", 5); // its first line is the file's fifth
  CHECK(contains(text, "candidate.cu:7:"));
  CHECK(contains(text, "blok"));
  CHECK(contains(text, "candidate.cu:10:"));
  CHECK(contains(text, "'z'"));
}

TEST_CASE("the report about a hostile plan is bounded") {
  std::vector<plan_problem> many(10'000, {1, 1, std::string(5'000, 'k'), std::string(50'000, 'm')});
  CHECK(plan_errors(many, "candidate.cu", 2).size() < 16U << 10U);
}

TEST_CASE("impossible launch numbers are reported with a shape that shows them") {
  CHECK(misfits(kernel("grid=['rows']\nblock=[256]\n")).empty());
  CHECK(contains(misfits(kernel("grid=['rows-65']\nblock=[1]\n")), "kernel[0].grid[0]: 'rows-65' is -1"));
  CHECK(contains(misfits(kernel("grid=['rows-65']\nblock=[1]\n")), "(shape 'rows=64 cols=256')"));
  const auto wide = misfits(kernel("grid=[1]\nblock=[2048]\n"));
  CHECK(contains(wide, "candidate.cu:6:7: error: threads per block: kernel[0] 'k': 2048 x 1 x 1 threads, the device "
                       "allows 1024"));
  CHECK(contains(misfits("\n" + kernel("block=[1]\ngrid=[1, 'rows-65']\n")),
                 "candidate.cu:7:10: error: kernel[0].grid[1]: 'rows-65' is -1"));
  // A missing key is reported at the table that would contain it.
  CHECK(contains(misfits(kernel("grid=[1]\nblock=[1]\n"), {{"k", taking_shared(300'000)}}),
                 "candidate.cu:2:1: error: shared memory per block"));
  CHECK(misfits(kernel("grid=[1]\nblock=[2048]\n"), {}, rows_task(), 0).empty()); // nothing is known about that device
  CHECK(contains(misfits(kernel("grid=[1]\nblock=[1]\nshared=300000\n")), "shared memory per block"));
}

TEST_CASE("the code's kernels and their parameters are compared with the plan") {
  const auto plan = kernel("grid=[1]\nblock=[1]\n");
  CHECK(misfits(plan, {{"k", taking({8, 8, 8, 4})}}).empty());
  CHECK(misfits(plan, {{"k", {}}}).empty()); // not reported
  CHECK(contains(misfits(plan, {{"k", taking({8, 8, 8})}}), "'k' takes 3 parameters, the plan has 4"));
  CHECK(contains(misfits(plan, {{"k", taking({8, 8, 8, 8})}}),
                 "kernel[0].arguments[3]: 'k' takes 8 bytes there, the plan passes 4"));
  CHECK(contains(misfits(plan, {{"j", {}}}), "the code has no kernel 'k'; it has: j\n"));
  CHECK(contains(misfits(plan, {{"_Z1kPf", {}}}), "Declare it extern \"C\""));
  CHECK(contains(misfits(plan, {{"_ZN4mine1kEPf", {}}}), "Declare it extern \"C\"")); // in a namespace
}

TEST_CASE("held-out shapes are not shown, and data-dependent sizes are left to the runner") {
  auto task = rows_task();
  task.shapes.push_back(shape_of("rows=1 cols=1", {{"rows", 1}, {"cols", 1}}, true));
  CHECK(misfits(kernel("grid=['rows-1']\nblock=[1]\n"), {}, task).empty());
  task.arguments[0].type = dtype::i64;
  task.derived = {{"total", "sum(x)"}};
  CHECK(misfits(kernel("grid=['total-1000000000000']\nblock=[1]\n"), {}, task).empty());
}
