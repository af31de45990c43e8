#include "backends/judge/pattern_choices.hpp"

#include "backends/judge/chosen_values.hpp"
#include "backends/judge/distributions.hpp"
#include "backends/judge/geometry.hpp"
#include "backends/judge/numbers.hpp"
#include "runtime/base/fill_names.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

using choices = std::vector<value_choice>;

constexpr double freely = 3.0; // standard deviations, see values_of()
constexpr double by_name = 6.0;

// Rounds towards the inside of a range to a number of few bits: sums and products of such numbers are exact, so that
// every order of them gives the same result.
double few_bits(double x, bool up) {
  constexpr double bits = 16.0;
  if (x == 0.0)
    return x;
  int exponent = 0;
  const auto mantissa = std::frexp(x, &exponent) * bits;
  return std::ldexp((up ? std::ceil(mantissa) : std::floor(mantissa)) / bits, exponent);
}

} // namespace

landmarks landmarks_of(const argument& a) {
  const auto range = values_of(a, freely);
  landmarks out{range.low, range.high, std::clamp(0.0, range.low, range.high)};
  if (is_floating(a.type) && few_bits(range.low, true) <= few_bits(range.high, false)) {
    out.low = few_bits(range.low, true);
    out.high = few_bits(range.high, false);
  }
  const auto middle = out.low + (out.high - out.low) / 2;
  out.middle = is_floating(a.type) ? few_bits(middle, true) : std::ceil(middle);
  return out;
}

bool is_chosen(const argument& a) {
  if (a.role == argument_role::scalar)
    return !a.has_value;
  return is_array(a) && is_read(a) && !a.is_static && a.fill.distribution != fill_name::offsets;
}

namespace {

choices choices_for_keys(const argument& a) {
  constexpr double far = 0x1.0p61; // moved to the last keys that there are
  choices out{{value_pattern::dense, 0.0, 0.0}, {value_pattern::dense, far, 0.0}};
  if (has_free_keys(a))
    out.insert(out.end(), {{value_pattern::dense, -3.0, 0.0}, {value_pattern::dense, -far, 0.0}});
  return out;
}

choices choices_for_samples(const argument& a) {
  choices out{{value_pattern::sorted, 0.0, 0.0}, {value_pattern::reversed, 0.0, 0.0}};
  if (a.fill.hit < 1.0)
    out.push_back({value_pattern::no_hit, 0.0, 0.0});
  if (a.fill.hit > 0.0)
    out.insert(out.end(), {{value_pattern::every_hit, 0.0, 0.0},
                           {value_pattern::one_entry, 0.0, 0.0},
                           {value_pattern::one_entry, 1.0, 0.0}});
  return out;
}

} // namespace

choices choices_for(const argument& a) {
  if (a.fill.distribution == fill_name::sorted_unique && is_array(a))
    return choices_for_keys(a);
  if (a.fill.distribution == fill_name::sample_of && is_array(a))
    return choices_for_samples(a);
  const auto at = landmarks_of(a);
  choices out{{value_pattern::all_equal, at.low, 0.0},
              {value_pattern::all_equal, at.high, 0.0},
              {value_pattern::all_equal, at.zero, 0.0}};
  const bool has_negative_zero = is_floating(a.type) && at.low < 0.0 && at.high > 0.0;
  if (has_negative_zero)
    out.push_back({value_pattern::all_equal, -0.0, 0.0});
  for (const auto one : {1.0, -1.0})
    if (at.low <= one && at.high >= one && (one > 0.0 || a.role == argument_role::scalar))
      out.push_back({value_pattern::all_equal, one, 0.0});
  // The declared ends themselves have more bits than landmarks.
  if (const auto range = values_of(a, freely); is_floating(a.type) && a.fill.distribution != fill_name::normal)
    for (const auto end : {range.low, range.high})
      if (end != at.low && end != at.high)
        out.push_back({value_pattern::all_equal, end, 0.0});
  if (a.role == argument_role::scalar)
    return out;
  if (has_negative_zero)
    out.push_back({value_pattern::alternating, at.high, -0.0});
  out.insert(out.end(), {{value_pattern::one_hot, at.high, at.low},
                         {value_pattern::one_hot, at.low, at.high},
                         {value_pattern::one_hot, at.high, at.zero},
                         {value_pattern::alone, at.high, at.zero},
                         {value_pattern::alone, at.low, at.zero},
                         {value_pattern::alternating, at.low, at.high},
                         {value_pattern::alternating, at.high, at.zero},
                         {value_pattern::sorted, 0.0, 0.0},
                         {value_pattern::reversed, 0.0, 0.0},
                         {value_pattern::uniform, at.low, at.high},
                         {value_pattern::few_values, at.low, at.high},
                         {value_pattern::sparse, at.zero, at.high},
                         {value_pattern::heavy_tail, at.low, at.high}});
  return out;
}

bool has_landmarks(const argument& a) {
  return a.role == argument_role::scalar
         || (a.fill.distribution != fill_name::sorted_unique && a.fill.distribution != fill_name::sample_of);
}

choices telling_choices(const argument& a) {
  if (!has_landmarks(a))
    return choices_for(a);
  const auto at = landmarks_of(a);
  choices out{{value_pattern::all_equal, at.high, 0.0}};
  if (a.role != argument_role::scalar)
    out.insert(out.end(), {{value_pattern::alone, at.zero < at.high ? at.zero : at.low, at.high},
                           {value_pattern::alternating, at.middle, at.high},
                           {value_pattern::but_one, at.middle, at.high}});
  for (const auto value : {at.low, at.zero})
    if (const value_choice c{value_pattern::all_equal, value, 0.0}; std::find(out.begin(), out.end(), c) == out.end())
      out.push_back(c);
  if (a.role != argument_role::scalar)
    out.insert(out.end(), {{value_pattern::alternating, at.low, at.high},
                           {value_pattern::sorted, 0.0, 0.0},
                           {value_pattern::reversed, 0.0, 0.0},
                           {value_pattern::one_hot, at.high, at.zero},
                           {value_pattern::few_values, at.low, at.high}});
  return out;
}

namespace {

// Returns the values beside a constant that the type tells from it. Beside zero they are small numbers, but no denormal
// ones.
std::vector<double> neighbours(dtype type, double x, const value_range& range) {
  if (!is_floating(type))
    return {x - 1.0, x + 1.0};
  const auto step = x == 0.0 ? std::ldexp(range.high - range.low, -12) : ulp_of(type, x);
  return {x - step, x + step};
}

} // namespace

choices choices_of_constant(const argument& a, double constant) {
  const bool scalar = a.role == argument_role::scalar;
  if ((!is_array(a) && !scalar) || !has_landmarks(a))
    return {};
  const auto range = values_of(a, by_name);
  const auto holds = [&](double x) {
    return x >= range.low && x <= range.high && (is_floating(a.type) || x == std::floor(x));
  };
  if (!holds(constant))
    return {};
  choices out{{value_pattern::all_equal, constant, 0.0}};
  for (const auto beside : neighbours(a.type, constant, range))
    if (holds(beside)) {
      out.push_back({value_pattern::all_equal, beside, 0.0});
      if (scalar)
        continue;
      out.push_back({value_pattern::one_hot, constant, beside});
      out.push_back({value_pattern::alternating, constant, beside});
    }
  const auto at = landmarks_of(a);
  for (const auto other : {at.low, at.high})
    if (other != constant && !scalar) {
      out.push_back({value_pattern::one_hot, constant, other});
      out.push_back({value_pattern::alternating, constant, other});
    }
  return out;
}

} // namespace kevolve
