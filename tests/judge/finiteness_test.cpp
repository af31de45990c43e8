// Tests which values count as infinite in an output's type, disagreements about that, and the scale of errors.
#include "backends/judge/finiteness.hpp"
#include "backends/judge/numbers.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace kevolve;

namespace {

constexpr auto infinity = std::numeric_limits<double>::infinity();
constexpr auto no_number = std::numeric_limits<double>::quiet_NaN();

expected_output numbers(dtype type, const std::vector<double>& values) {
  expected_output out;
  out.type = type;
  out.values = byte_buffer(values.size() * size_bytes(type));
  for (size_t i = 0; i < values.size(); ++i)
    store_number(type, out.values.data(), static_cast<int64_t>(i), values[i]);
  return out;
}

} // namespace

TEST_CASE("values that round to infinity in the output's type are infinite") {
  CHECK(not_finite(dtype::f16, numbers(dtype::f64, {65504.0, -65519.9}), 2).empty());
  CHECK(not_finite(dtype::f16, numbers(dtype::f64, {1.0, 65520.0}), 2) == "1 of 2 elements, the first at index 1");
  CHECK(not_finite(dtype::f32, numbers(dtype::f64, {3.4028235e38, -3.4028235e38}), 2).empty());
  CHECK(not_finite(dtype::f32, numbers(dtype::f64, {3.5e38, no_number}), 2) == "all 2 elements");
  CHECK(not_finite(dtype::f64, numbers(dtype::f64, {1e308, -infinity, 0.0}), 3)
        == "1 of 3 elements, the first at index 1");
  CHECK(not_finite(dtype::f64, numbers(dtype::f64, {1.0, no_number}), 1).empty()); // only the first element counts
  CHECK(all_finite(dtype::bf16, numbers(dtype::bf16, {3e38}).values, 1));
  CHECK_FALSE(all_finite(dtype::bf16, numbers(dtype::bf16, {infinity}).values, 1));
}

TEST_CASE("equal NaNs and infinities agree, and values near the type's limit count as agreement") {
  const auto told = [](const std::vector<double>& exact, const std::vector<double>& own) {
    return disagreement(dtype::f32, numbers(dtype::f64, exact), numbers(dtype::f32, own).values,
                        static_cast<int64_t>(exact.size()));
  };
  CHECK(told({no_number, infinity, -1e50, 1.0}, {no_number, infinity, -infinity, 2.0}).empty());
  CHECK(told({3.4e38, 3.41e38}, {infinity, 3.4e38}).empty());
  CHECK(told({1.0, 1e50}, {1.0, -infinity}).find("at 1 of 2 elements, the first at index 1") != std::string::npos);
  CHECK(told({no_number, infinity, 1.0}, {infinity, 1.0, no_number}).find("at 3 of 3 elements, the first at index 0")
        != std::string::npos);
}

TEST_CASE("errors are relative to the type's largest number at most, or to most elements") {
  const auto some = numbers(dtype::f64, {1.0, -5.0, 2.0, 1e50, no_number});
  CHECK(scale_of_errors(dtype::f32, some, 5, false) == limits_of(dtype::f32).largest);
  CHECK(scale_of_errors(dtype::f32, some, 3, false) == 5.0);
  CHECK(scale_of_errors(dtype::f32, some, 5, true) == 2.0); // the median of 1, 2 and 5
  // A rectifier's zeros do not show the size of its terms.
  CHECK(scale_of_errors(dtype::f32, numbers(dtype::f64, {0.0, 0.0, -0.0, 3.0, 4.0}), 5, true) == 4.0);
  CHECK(scale_of_errors(dtype::f32, numbers(dtype::f64, {0.0, 0.0}), 2, true) == 0.0);
  CHECK(scale_of_errors(dtype::f32, numbers(dtype::f64, {no_number, infinity}), 2, true) == 0.0);
}
