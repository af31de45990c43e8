// The red team's files, as far as they can be read without a device.
#include "backends/cuda/launch_plan.hpp"
#include "backends/cuda/package.hpp"
#include "tests/cuda/runner_driver.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("every cheat and every honest kernel has a plan that reads; every cheat an expectation and a neighbour") {
  for (const auto* folder : {"honest", "cheats"})
    for (const auto& f : load_cuda_fixtures(folder)) {
      CAPTURE(f.name);
      const auto split = split_candidate(f.source);
      REQUIRE(split.has_value());
      const auto plan = parse_plan(split->plan, iterate_task());
      CHECK_MESSAGE(plan.has_value(), (plan ? "" : to_string(plan.error())));
      if (std::string{folder} == "honest")
        continue;
      CHECK(!f.expected.empty());
      for (const auto& e : f.expected)
        CHECK((e == "harmless" || parse_verdict(e) != verdict::none));
      CHECK(std::filesystem::exists(cuda_path("honest/" + f.near + ".cu")));
    }
}
