// The order in which a runner judges several batches.
#include "backends/target.hpp"
#include "runtime/node/batch/batch_outlook.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("a campaign that gained much with few candidates is expected to gain more") {
  CHECK(expected_gain(4.0, 3, 2) > expected_gain(1.1, 3, 2));
  CHECK(expected_gain(4.0, 3, 2) > expected_gain(4.0, 30, 2));
  CHECK(expected_gain(1.0, 0, 2) > 0.0); // without results
  CHECK(expected_gain(4.0, 3, 4) == doctest::Approx(2.0 * expected_gain(4.0, 3, 2)));
}

TEST_CASE("batches are ordered by expected gain a second, and equal ones keep their order") {
  CHECK(order_by_gain({{100.0, 50.0, 1.0, 4}, {10.0, 5.0, 1.0, 4}, {10.0, 5.0, 1.0, 4}, {10.0, 5.0, 3.0, 4}})
        == std::vector<size_t>{3, 1, 2, 0});
}

TEST_CASE("targets whose candidates run on a device are known by the table of targets") {
  for (const auto& name : target_names())
    CHECK(runs_on_device(name) == (name != "cpu"));
  CHECK_FALSE(runs_on_device("abacus"));
}

TEST_CASE("a batch whose first verdict does not fit into the time is not begun") {
  const batch_outlook batch{60.0, 30.0, 1.0, 4};
  CHECK(fits_in(batch, 31.0, 1.0));
  CHECK_FALSE(fits_in(batch, 29.0, 1.0));
  CHECK_FALSE(fits_in(batch, 31.0, 2.0)); // earlier batches took twice as long
}
