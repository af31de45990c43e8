#include "backends/judge/chosen_values.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/numbers.hpp"
#include "runtime/base/fill_names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace kevolve {

namespace {

constexpr std::array<const char*, value_patterns> pattern_names{
    "as declared", "all equal",  "one hot",    "alternating",        "sorted", "reversed",
    "uniform",     "few values", "sparse",     "heavy tail",         "dense",  "no hit",
    "every hit",   "one entry",  "one in all", "alternating but one"};

int64_t whole_number(double x) {
  constexpr double most = 0x1.0p62;
  return static_cast<int64_t>(std::llround(std::clamp(x, -most, most)));
}

void store(dtype t, void* data, int64_t i, double x) {
  if (is_floating(t))
    store_number(t, data, i, x);
  else
    store_integer(t, data, i, whole_number(x));
}

// Sorts the elements of each row, upwards or downwards.
void sort_rows(dtype t, byte_buffer& values, int64_t count, int64_t row, bool down) {
  const auto sort = [&](auto load, auto put) {
    std::vector<decltype(load(int64_t{0}))> part;
    for (int64_t from = 0; from < count; from += row) {
      const auto length = std::min(row, count - from);
      part.clear();
      for (int64_t i = 0; i < length; ++i)
        part.push_back(load(from + i));
      if (down)
        std::sort(part.begin(), part.end(), std::greater<>{});
      else
        std::sort(part.begin(), part.end());
      for (int64_t i = 0; i < length; ++i)
        put(from + i, part[static_cast<size_t>(i)]);
    }
  };
  if (is_floating(t))
    sort([&](int64_t i) { return load_number(t, values.data(), i); },
         [&](int64_t i, double x) { store_number(t, values.data(), i, x); });
  else
    sort([&](int64_t i) { return load_integer(t, values.data(), i); },
         [&](int64_t i, int64_t x) { store_integer(t, values.data(), i, x); });
}

// One of eight values, evenly between two bounds.
double one_of_few(const value_choice& c, random_stream& random) {
  constexpr uint64_t steps = 7;
  return c.value + (c.other - c.value) * static_cast<double>(random.below(steps + 1)) / static_cast<double>(steps);
}

// Returns a magnitude from 2^-10 of the farthest bound up to it, with a sign that the bounds allow.
double far_or_near(const value_choice& c, random_stream& random) {
  constexpr double octaves = 10.0;
  const auto low = std::min(c.value, c.other);
  const auto high = std::max(c.value, c.other);
  const auto size = std::max(std::fabs(low), std::fabs(high)) * std::exp2(-octaves * random.uniform());
  return std::clamp(random.below(2) == 0 ? size : -size, low, high);
}

double element_of(const value_choice& c, int64_t i, int64_t row, int64_t hot, random_stream& random) {
  switch (c.pattern) {
    case value_pattern::one_hot:
    case value_pattern::alone: // the row is the array
      return i % row == hot ? c.value : c.other;
    case value_pattern::but_one:
      if (i == hot)
        return 2.0 * c.value - c.other;
      [[fallthrough]];
    case value_pattern::alternating:
      return i % 2 == 0 ? c.value : c.other;
    case value_pattern::uniform:
      return c.value + (c.other - c.value) * random.uniform();
    case value_pattern::few_values:
      return one_of_few(c, random);
    case value_pattern::sparse: {
      constexpr uint64_t one_of = 16;
      return random.below(one_of) == 0 ? c.value + (c.other - c.value) * random.uniform() : c.value;
    }
    case value_pattern::heavy_tail:
      return far_or_near(c, random);
    default:
      return c.value;
  }
}

byte_buffer fill_elements(const argument& a, const value_choice& c, int64_t count, int64_t row, random_stream& random) {
  byte_buffer out(static_cast<size_t>(count) * size_bytes(a.type));
  int64_t hot = 0;
  if (c.pattern == value_pattern::alone || c.pattern == value_pattern::but_one)
    row = std::max<int64_t>(count, 1);
  for (int64_t i = 0; i < count; ++i) {
    if (i % row == 0)
      hot = static_cast<int64_t>(random.below(static_cast<uint64_t>(row)));
    store(a.type, out.data(), i, element_of(c, i, row, hot, random));
  }
  return out;
}

result<byte_buffer> fill_samples(argument a, const value_choice& c, int64_t count, int64_t row,
                                 const source_array& table, random_stream random) {
  if (c.pattern == value_pattern::one_entry && table.count > 0) {
    const auto entry = load_integer(table.type, table.data, c.value == 0.0 ? 0 : table.count - 1);
    byte_buffer out(static_cast<size_t>(count) * size_bytes(a.type));
    for (int64_t i = 0; i < count; ++i)
      store_integer(a.type, out.data(), i, entry);
    return out;
  }
  if (c.pattern == value_pattern::no_hit)
    a.fill.hit = 0.0;
  if (c.pattern == value_pattern::every_hit)
    a.fill.hit = 1.0;
  auto out = fill_array(a, count, {}, table, random);
  if (out && (c.pattern == value_pattern::sorted || c.pattern == value_pattern::reversed))
    sort_rows(a.type, *out, count, row, c.pattern == value_pattern::reversed);
  return out;
}

// Fills with keys without gaps, as near to the chosen first one as the bounds allow.
result<byte_buffer> fill_dense(const argument& a, const value_choice& c, int64_t count, random_stream random) {
  if (is_floating(a.type))
    return fill_array(a, count, {}, {}, random);
  const auto bounds = widest_bounds_of_keys(a, count);
  if (bounds.high - bounds.low + 1 < count)
    return fill_array(a, count, {}, {}, random); // which says why
  byte_buffer out(static_cast<size_t>(count) * size_bytes(a.type));
  const auto first = std::clamp(whole_number(c.value), bounds.low, bounds.high - count + 1);
  for (int64_t i = 0; i < count; ++i)
    store_integer(a.type, out.data(), i, first + i);
  return out;
}

} // namespace

std::string to_string(value_pattern p) {
  return pattern_names.at(static_cast<size_t>(p));
}

std::string to_string(const value_choice& c) {
  const auto value = figure(c.value, 9);
  const auto other = figure(c.other, 9);
  switch (c.pattern) {
    case value_pattern::all_equal:
      return "all equal to " + value;
    case value_pattern::one_hot:
      return "one " + value + " a row among " + other;
    case value_pattern::alone:
      return "one " + value + " in all among " + other;
    case value_pattern::alternating:
      return "alternating " + value + " and " + other;
    case value_pattern::uniform:
    case value_pattern::few_values:
    case value_pattern::heavy_tail:
      return to_string(c.pattern) + " from " + value + " to " + other;
    case value_pattern::sparse:
      return "sparse, mostly " + value;
    case value_pattern::dense:
      return "dense from " + value;
    case value_pattern::one_entry:
      return c.value == 0.0 ? "the table's first entry" : "the table's last entry";
    default:
      return to_string(c.pattern);
  }
}

value_range values_of(const argument& a, double deviations) {
  if (a.role == argument_role::scalar)
    return a.has_value ? value_range{a.value, a.value} : value_range{a.range_low, a.range_high};
  if (a.type == dtype::boolean)
    return {0.0, 1.0};
  if (a.fill.distribution == fill_name::normal)
    return {a.fill.mean - deviations * a.fill.std, a.fill.mean + deviations * a.fill.std};
  return {a.fill.low, a.fill.high};
}

result<byte_buffer> fill_chosen(const argument& a, const value_choice& choice, int64_t count, int64_t row,
                                const source_array& source, random_stream random) {
  row = std::max<int64_t>(row, 1);
  const auto& name = a.fill.distribution;
  if (choice.pattern == value_pattern::declared || name == fill_name::offsets)
    return fill_array(a, count, {}, source, random);
  if (name == fill_name::sample_of)
    return fill_samples(a, choice, count, row, source, random);
  if (name == fill_name::sorted_unique)
    return fill_dense(a, choice, count, random);
  if (choice.pattern != value_pattern::sorted && choice.pattern != value_pattern::reversed)
    return fill_elements(a, choice, count, row, random);
  auto out = fill_array(a, count, {}, source, random);
  if (out)
    sort_rows(a.type, *out, count, row, choice.pattern == value_pattern::reversed);
  return out;
}

} // namespace kevolve
