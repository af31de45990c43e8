#include "actors/search/mixture.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("generators are picked by weight, and the same for the same seed") {
  const std::vector<generator_load> all{{1.0, 0, 0}, {0.0, 0, 0}, {3.0, 0, 0}};
  std::vector<int> picked(3);
  for (uint64_t seed = 0; seed < 4'000; ++seed) {
    auto i = pick_generator(all, seed);
    REQUIRE(i);
    ++picked[*i];
    REQUIRE(i == pick_generator(all, seed));
  }
  CHECK(picked[0] > 850);
  CHECK(picked[0] < 1'150);
  CHECK(picked[1] == 0);
  CHECK(pick_generator({{2.0, 7, 0}}, 5) == 0);
}

TEST_CASE("a generator that has as many steps as it may is passed over") {
  std::vector<generator_load> all{{100.0, 2, 2}, {1.0, 50, 0}};
  for (uint64_t seed = 0; seed < 50; ++seed)
    CHECK(pick_generator(all, seed) == 1);
  all[1].weight = 0.0;
  CHECK_FALSE(pick_generator(all, 1));
  all[0].at_work = 1;
  CHECK(pick_generator(all, 1) == 0);
  CHECK_FALSE(pick_generator({}, 1));
}
