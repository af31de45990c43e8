#include "backends/judge/finiteness.hpp"

#include "backends/judge/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kevolve {

namespace {

// Returns whether any element has all exponent bits set.
template <class Bits>
bool any_not_finite(const byte_buffer& values, int64_t elements, Bits exponent) {
  const auto* bits = values.as<Bits>();
  unsigned found = 0;
  for (int64_t i = 0; i < elements; ++i)
    found |= static_cast<unsigned>((bits[i] & exponent) == exponent);
  return found != 0;
}

bool any_beyond(const byte_buffer& values, int64_t elements, double overflow) {
  const auto* x = values.as<double>();
  unsigned found = 0;
  for (int64_t i = 0; i < elements; ++i)
    found |= static_cast<unsigned>(!(std::fabs(x[i]) < overflow));
  return found != 0;
}

// Returns whether any element is infinite or NaN, or a double beyond the range of the output's type.
bool any_not_finite(dtype type, const byte_buffer& values, int64_t elements, double overflow) {
  switch (type) {
    case dtype::f16:
      return any_not_finite<uint16_t>(values, elements, 0x7c00U);
    case dtype::bf16:
      return any_not_finite<uint16_t>(values, elements, 0x7f80U);
    case dtype::f32:
      return any_not_finite<uint32_t>(values, elements, 0x7f80'0000U);
    default:
      return any_beyond(values, elements, overflow);
  }
}

// Describes the elements that are infinite or NaN in the output's type; empty if there are none.
std::string which_not_finite(dtype output, dtype type, const byte_buffer& values, int64_t elements) {
  const auto overflow = overflow_of(output);
  if (!is_floating(type) || !any_not_finite(type, values, elements, overflow))
    return {};
  int64_t first = -1;
  int64_t count = 0;
  for (int64_t i = 0; i < elements; ++i)
    if (!(std::fabs(load_number(type, values.data(), i)) < overflow)) {
      ++count;
      first = first < 0 ? i : first;
    }
  if (count == 0)
    return {};
  return count == elements ? "all " + std::to_string(elements) + " elements"
                           : std::to_string(count) + " of " + std::to_string(elements)
                                 + " elements, the first at index " + std::to_string(first);
}

// The class of a value in the type: NaN, one of the infinities, or a number.
enum class number_class : uint8_t { number, nan, above, below };
number_class class_of(double x, double largest) {
  return std::isnan(x)  ? number_class::nan
         : x > largest  ? number_class::above
         : x < -largest ? number_class::below
                        : number_class::number;
}

} // namespace

std::string not_finite(dtype output, const expected_output& expected, int64_t elements) {
  return which_not_finite(output, expected.type, expected.values, elements);
}

bool all_finite(dtype type, const byte_buffer& values, int64_t elements) {
  return which_not_finite(type, type, values, elements).empty();
}

double overflow_of(dtype output) {
  if (!is_floating(output) || output == dtype::f64)
    return std::numeric_limits<double>::infinity();
  const auto largest = limits_of(output).largest;
  return largest + ulp_of(output, largest) / 2.0;
}

double scale_of_errors(dtype output, const expected_output& expected, int64_t elements, bool alike) {
  const auto most = is_floating(output) ? limits_of(output).largest : std::numeric_limits<double>::max();
  if (!alike)
    return std::min(largest_magnitude(expected, elements), most);
  std::vector<double> sizes;
  sizes.reserve(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements; ++i)
    if (const auto x = std::fabs(load_number(expected.type, expected.values.data(), i)); x <= most && x > 0.0)
      sizes.push_back(x);
  if (sizes.empty())
    return 0.0;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

std::string disagreement(dtype output, const expected_output& expected, const byte_buffer& own, int64_t elements) {
  constexpr double nearly = 1.0 - 0x1p-8;
  const auto largest = limits_of(output).largest;
  int64_t first = -1;
  int64_t count = 0;
  for (int64_t i = 0; i < elements; ++i) {
    const auto o = load_number(expected.type, expected.values.data(), i);
    if (std::fabs(o) > largest * nearly && std::fabs(o) * nearly < largest)
      continue;
    if (class_of(o, largest) != class_of(load_number(output, own.data(), i), largest)) {
      ++count;
      first = first < 0 ? i : first;
    }
  }
  return count == 0 ? std::string{}
                    : "reference and oracle differ in what is infinite or NaN at " + std::to_string(count) + " of "
                          + std::to_string(elements) + " elements, the first at index " + std::to_string(first);
}

} // namespace kevolve
