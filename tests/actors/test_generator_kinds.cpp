#include "backends/generator.hpp"
#include "runtime/base/kinds.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kevolve;

TEST_CASE("every kind of generator that asks no model can be made, and no other") {
  for (const auto& kind : generator_kinds()) {
    CAPTURE(kind.name);
    CHECK(make_generator(std::string{kind.name}).has_value() != kind.asks_model);
  }
  const auto unknown = make_generator("oracle");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().detail == "no generator 'oracle'; there are: transform, configurations");
}
