#include "runtime/base/random.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace kevolve;

TEST_CASE("splitmix64 gives the numbers of its authors' program") {
  splitmix64 random{1234567};
  for (const auto expected : {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                              4593380528125082431ULL, 16408922859458223821ULL})
    CHECK(random.next() == expected);
}

TEST_CASE("a stream gives the numbers of xoshiro256++'s published program") {
  random_stream random{{1, 2, 3, 4}};
  for (const auto expected : {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL,
                              9228616714210784205ULL, 9973669472204895162ULL})
    CHECK(random.next() == expected);
}

TEST_CASE("a uniform number is the 53 high bits, below 1") {
  CHECK(unit_interval(0) == 0.0);
  CHECK(unit_interval(UINT64_MAX) == 1.0 - 0x1.0p-53);
  CHECK(unit_interval(1ULL << 63U) == 0.5);
  CHECK(unit_interval((1ULL << 11U) - 1) == 0.0);
}

TEST_CASE("draws of whole numbers reach both ends and nothing beyond") {
  random_stream stream{7, 3};
  splitmix64 choices{7};
  std::vector<int> seen(5);
  std::vector<int> chosen(5);
  for (int i = 0; i < 5000; ++i) {
    const auto x = stream.between(-2, 2);
    REQUIRE(x >= -2);
    REQUIRE(x <= 2);
    ++seen[static_cast<size_t>(x + 2)];
    ++chosen[choices.below(5)];
  }
  for (size_t i = 0; i < 5; ++i) {
    CHECK(std::abs(seen[i] - 1000) < 150);
    CHECK(std::abs(chosen[i] - 1000) < 150);
  }
  CHECK(stream.between(4, 4) == 4);
}

TEST_CASE("streams of one seed differ, and normal numbers have mean 0 and variance 1") {
  CHECK(random_stream(1, 0).next() != random_stream(1, 1).next());
  CHECK(mix_seed(1, 2) != mix_seed(2, 1));
  random_stream random{11};
  auto sum = 0.0;
  auto squares = 0.0;
  constexpr int count = 100'000;
  for (int i = 0; i < count; ++i) {
    const auto x = random.normal();
    sum += x;
    squares += x * x;
  }
  CHECK(std::abs(sum / count) < 0.02);
  CHECK(std::abs(squares / count - 1.0) < 0.03);
}

TEST_CASE("a seed draws the same numbers in every version") {
  random_stream random{42, 5};
  CHECK(random.next() == 5549977994883275832ULL);
  CHECK(random.below(1000) == 332);
  CHECK(random.normal() == doctest::Approx(-0x1.bd2fc5f75fb05p-4).epsilon(1e-12));
  CHECK(mix_seed(42, 5) == 16530774202399095372ULL);
}
