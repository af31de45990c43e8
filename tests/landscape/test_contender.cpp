#include "tools/bench/landscape/contender.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace kevolve;
using namespace kevolve::bench;

namespace {

std::string campaign() {
  const char* source = std::getenv("KEVOLVE_SOURCE");
  REQUIRE(source != nullptr);
  return std::string{source} + "/config/examples/softmax.toml";
}

} // namespace

TEST_CASE("a contender is a policy's name, or a name with settings of a campaign file") {
  const auto plain = contender_of("beam", campaign());
  REQUIRE(plain);
  CHECK(plain->name == "beam");
  CHECK(plain->options.policy.policies == std::map<std::string, double>{{"beam", 1.0}});
  const auto full =
      contender_of("broad: search.policy=uct; search.exploration=2.5; search.in_flight=16; memory.none=0; "
                   "play.novelty=false",
                   campaign());
  REQUIRE(full);
  CHECK(full->name == "broad");
  CHECK(full->options.policy.exploration == 2.5);
  CHECK(full->options.policy.memory.at("none") == 0.0);
  CHECK(full->options.in_flight == 16);
  CHECK_FALSE(full->options.novelty);
  CHECK(full->options.policy.spreads); // as campaigns of today
}

TEST_CASE("a policy or a setting that does not exist gets the settings' own error") {
  const auto policy = contender_of("greddy", campaign());
  REQUIRE_FALSE(policy);
  CHECK(policy.error().code == errc::bad_input);
  CHECK(policy.error().detail.find("search.policy") != std::string::npos);
  CHECK(policy.error().detail.find("did you mean 'greedy'?") != std::string::npos);
  const auto setting = contender_of("x: search.explore=1", campaign());
  REQUIRE_FALSE(setting);
  CHECK(setting.error().detail.find("search.explore") != std::string::npos);
}
