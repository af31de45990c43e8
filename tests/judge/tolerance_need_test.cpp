// Tests the tolerance that a reference needs, and its words.
#include "backends/judge/numbers.hpp"
#include "backends/judge/tolerance_need.hpp"
#include "tests/support/arguments.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace kevolve;

namespace {

byte_buffer numbers(dtype t, const std::vector<double>& v) {
  byte_buffer out(v.size() * size_bytes(t));
  for (size_t i = 0; i < v.size(); ++i)
    store_number(t, out.data(), static_cast<int64_t>(i), v[i]);
  return out;
}

contract task_with(const std::vector<tolerance>& tolerances) {
  contract c;
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                 array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  c.tolerances = tolerances;
  return c;
}

tolerance absrel(const std::string& argument, double relative, double absolute) {
  tolerance t;
  t.argument = argument;
  t.relative = relative;
  t.absolute = absolute;
  return t;
}

tolerance_need need_of(const std::vector<double>& own, const std::vector<double>& exact, const comparison_rule& granted,
                       bool usual) {
  tolerance_need out;
  const auto values = numbers(dtype::f32, own);
  add_draw(out, dtype::f32, values.data(), {dtype::f64, numbers(dtype::f64, exact)}, static_cast<int64_t>(exact.size()),
           granted, usual);
  return out;
}

comparison_rule granted_by(const contract& c, double scale = 0.0) {
  return rule_for(without_absolute(c), c.arguments[1], 0.0, scale);
}

} // namespace

TEST_CASE("numbers are rounded up to one digit, and those of one digit stay") {
  CHECK(rounded_up(0.00031) == 0.0004);
  CHECK(rounded_up(3e-5) == 3e-5);
  CHECK(rounded_up(0.3) == 0.3);
  CHECK(rounded_up(9.1) == 10.0);
  CHECK(rounded_up(41.0) == 50.0);
  CHECK(rounded_up(0.0) == 0.0);
  CHECK(rounded_up(-1.0) == 0.0);
  CHECK(rounded_up(std::numeric_limits<double>::infinity()) == 0.0);
}

TEST_CASE("the absolute tolerance admits eight times each error") {
  const auto c = task_with({absrel("y", 1e-5, 1e-6)});
  // Cancelled to nearly zero: the relative part admits nothing of an error of 2^-17.
  const auto need = need_of({0x1p-17, 8.0}, {0.0, 8.0}, granted_by(c), true);
  CHECK(need.error == 0x1p-17);
  CHECK(need.excess == 0x1p-14);
  CHECK(need.draws == 1);
  CHECK(needed_absolute(need, 1e-5) == 7e-5); // 6.1e-5
  // A large value's error is within the relative part.
  const auto relative_only = need_of({1024.0 + 0x1p-10}, {1024.0}, granted_by(c), true);
  CHECK(relative_only.error == 0x1p-10);
  CHECK(relative_only.excess == 0.0);
  CHECK(needed_absolute(relative_only, 1e-5) == 0.002); // a tenth of relative at the median
}

TEST_CASE("infinite results count for nothing, and an exact reference needs the least") {
  const auto c = task_with({});
  const auto infinity = std::numeric_limits<double>::infinity();
  const auto need = need_of({1.0, 2.0, 4.0}, {1.0, infinity, 4.0}, granted_by(c), true);
  CHECK(need.error == 0.0);
  CHECK(need.median == 4.0);
  CHECK(needed_absolute(need, 1e-5) == 4e-6);
}

TEST_CASE("an edge of large values asks for a relative tolerance, not for a huge absolute one") {
  const auto c = task_with({absrel("y", 1e-5, 1e-6)});
  const auto granted = granted_by(c, 0x1p20); // the scale of the edge's values
  const auto within = need_of({1.0}, {0.0}, granted, false);
  CHECK(within.excess == 0.0);
  CHECK(within.edge_relative == 0.0);
  const auto beyond = need_of({64.0}, {0.0}, granted, false);
  CHECK(beyond.excess == 0.0);
  CHECK(beyond.edge_relative == doctest::Approx(8.0 * 64.0 / 0x1p20));
  CHECK(tolerance_to_write(c, c.arguments[1], beyond).find("relative = 0.0005") != std::string::npos);
}

TEST_CASE("the words name the key, the table and the measured error") {
  tolerance_need need;
  need.error = 4.6e-6;
  need.excess = 3.6e-5;
  need.draws = 104;
  const auto own = task_with({absrel("y", 1e-5, 1e-6)});
  CHECK(tolerance_to_write(own, own.arguments[1], need)
        == "write absolute = 4e-05 in the [[tolerance]] with argument = \"y\": 8 times the reference's largest error, "
           "4.6e-06 in 104 draws, beyond what relative = 1e-05 admits");
  const auto general = task_with({absrel("", 1e-4, 0.0)});
  CHECK(tolerance_to_write(general, general.arguments[1], need).find("write absolute = 4e-05 in [tolerance]: ") == 0);
  const auto none = task_with({});
  CHECK(tolerance_to_write(none, none.arguments[1], need)
            .find("in a [[tolerance]] with argument = \"y\" and relative = 1e-05: ")
        != std::string::npos);
  tolerance ulps;
  ulps.mode = tolerance_mode::ulp;
  ulps.limit = 1.0;
  need.ulps = 1.3;
  const auto by_ulps = task_with({ulps});
  CHECK(tolerance_to_write(by_ulps, by_ulps.arguments[1], need).find("write limit = 20 in [tolerance]: ") == 0);
}

TEST_CASE("other outputs are told only if they are too tight themselves") {
  auto c = task_with({absrel("", 1e-5, 1e-6)});
  c.arguments.push_back(array_argument("z", argument_role::output, dtype::f32, {"n"}));
  std::vector<tolerance_need> needs(4);
  needs[1].draws = needs[3].draws = 4;
  needs[1].excess = 1e-4;
  needs[3].excess = 4e-6; // half of the error that the tolerance admits
  CHECK(tolerances_to_write(c, needs, "y").find("; ") == std::string::npos);
  needs[3].excess = 1e-3;
  const auto both = tolerances_to_write(c, needs, "y");
  CHECK(both.find("write absolute = 0.0001 ") == 0);
  CHECK(both.find("; write absolute = 0.001 ") != std::string::npos);
  CHECK(tolerances_to_write(c, std::vector<tolerance_need>(4), "y").empty());
}
