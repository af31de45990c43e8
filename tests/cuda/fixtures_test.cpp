// Checks the red team's files as far as possible without a device.
#include "backends/launch_plan/launch_plan.hpp"
#include "backends/launch_plan/package.hpp"
#include "backends/launch_plan/plan_check.hpp"
#include "tests/cuda/runner_driver.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("every cheat and every honest kernel has a valid plan; every cheat an expectation and a control") {
  for (const auto* folder : {"honest", "cheats", "sanitizer"})
    for (const auto& f : load_cuda_fixtures(folder)) {
      CAPTURE(f.name);
      const auto split = split_candidate(f.source);
      REQUIRE(split.has_value());
      const auto plan = parse_plan(split->plan, iterate_task());
      CHECK_MESSAGE(plan.has_value(), (plan ? "" : to_string(plan.error())));
      const auto wrong = plan_misfits(*plan, iterate_task(), published_limits(90), {});
      if (std::string{folder} == "honest") {
        CHECK_MESSAGE(wrong.empty(), plan_errors(wrong, f.name, 1));
        continue;
      }
      if (f.rule == "device_limit" && f.name != "too_many_cooperating_blocks") // this one needs a device
        CHECK(!wrong.empty());
      CHECK(!f.expected.empty());
      for (const auto& e : f.expected)
        CHECK((e == "harmless" || parse_verdict(e) != verdict::none));
      CHECK(std::filesystem::exists(cuda_path("honest/" + f.near + ".cu")));
    }
}
