#include "backends/judge/distributions.hpp"

#include "backends/judge/numbers.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace kevolve {

namespace {

// Writes `count` numbers from `next`. Common types have their own loop.
template <class Next>
void fill_numbers(dtype t, byte_buffer& out, int64_t count, Next next) {
  if (t == dtype::f32) {
    auto* p = out.as<float>();
    for (int64_t i = 0; i < count; ++i)
      p[i] = static_cast<float>(next());
  } else if (t == dtype::f64) {
    auto* p = out.as<double>();
    for (int64_t i = 0; i < count; ++i)
      p[i] = next();
  } else
    for (int64_t i = 0; i < count; ++i)
      store_number(t, out.data(), i, next());
}

// The difference of two keys does not overflow, and neither does a miss beside the last one.
constexpr int64_t widest_key = int64_t{1} << 61;

int64_t largest_integer(dtype t) {
  switch (t) {
    case dtype::i8:
      return std::numeric_limits<int8_t>::max();
    case dtype::u8:
      return std::numeric_limits<uint8_t>::max();
    case dtype::i32:
      return std::numeric_limits<int32_t>::max();
    default:
      return int64_t{1} << 53; // sums of a few stay exact in double as well
  }
}

// Mixes large values of random magnitudes into ordinary ones. This detects kernels that decide by one look, or only
// from some magnitude on, whether they need care.
class large_among_ordinary {
public:
  large_among_ordinary(const edge_draw& edge, double largest, random_stream& random)
      : edge_(edge), row_(std::max<int64_t>(edge.row, 1)), bits_(std::log2(largest)), random_(random) {}

  double next() {
    const auto column = at_++ % row_;
    if (column == 0) {
      // The first row is ordinary and the second is large, to detect kernels that judge all rows by the first.
      const auto number = (at_ - 1) / row_;
      row_is_large_ = number == 1 || (number > 1 && random_.below(8) == 0);
      scale_ = magnitude();
      chosen_ = static_cast<int64_t>(random_.below(static_cast<uint64_t>(row_)));
    }
    const auto value = random_.normal();
    switch (edge_.variant) {
      case 0:
        return std::exp2(bits_) * value;
      case 1:
        return random_.below(8) == 0 ? magnitude() * value : value;
      case 2:
        return column == chosen_ ? scale_ * value : value;
      case 3:
      case 4:
      case 5:
        return row_is_large_ ? scale_ * value : value;
      default: // factors 4, 16, 64, 256
        return std::exp2(2.0 * (static_cast<double>(edge_.variant - first_scaled_variant) + 1.0)) * value;
    }
  }

private:
  double magnitude() { return std::exp2(std::min(3.0, bits_) + std::max(bits_ - 3.0, 0.0) * random_.uniform()); }

  const edge_draw& edge_;
  int64_t row_;
  double bits_;
  random_stream& random_;
  int64_t at_ = 0;
  int64_t chosen_ = 0;
  bool row_is_large_ = false;
  double scale_ = 1.0;
};

// Values whose differences, or deviations from the mean, lose their leading digits by cancellation. They stay in the
// distribution's range, since the operator may be undefined elsewhere.
class values_that_cancel {
public:
  values_that_cancel(const argument& a, uint32_t variant, random_stream& random)
      : random_(random), uniform_(a.fill.distribution == fill_name::uniform),
        low_(uniform_ ? a.fill.low : a.fill.mean - a.fill.std),
        high_(uniform_ ? a.fill.high : a.fill.mean + a.fill.std),
        pairs_(variant % 2 == 0 && low_ < 0.0 && high_ > 0.0) {
    // The distance from zero is as large as the type's last digits allow to distinguish the values.
    const double far = a.type == dtype::f16 || a.type == dtype::bf16 ? 16.0 : 1000.0;
    const auto width = high_ - low_;
    spread_ = uniform_ ? width / far : width / 2.0;
    centre_ = uniform_ ? low_ + spread_ + (width - 2.0 * spread_) * random.uniform()
                       : a.fill.mean + (variant % 4 < 2 ? far : -far) * width / 2.0; // the same of all arguments
  }

  double next() {
    if (!pairs_)
      return centre_ + spread_ * (2.0 * random_.uniform() - 1.0);
    if (first_of_pair_ = !first_of_pair_; first_of_pair_)
      return last_ = std::min(-low_, high_) * random_.uniform();
    return -last_ * (1.0 - random_.uniform() / 1024.0);
  }

private:
  random_stream& random_;
  bool uniform_;
  double low_;
  double high_;
  bool pairs_; // pairs x, nearly -x; otherwise all values are near one value
  bool first_of_pair_ = false;
  double last_ = 0.0;
  double spread_ = 0.0;
  double centre_ = 0.0;
};

// Ordinary rows mixed with rows that have one non-finite value: the first row and a quarter of the others. Errors with
// such values are likely where a loop begins, ends, or leaves full vectors for the remainder.
class special_among_ordinary {
public:
  special_among_ordinary(const argument& a, const edge_draw& edge, random_stream& random)
      : fill_(a.fill), row_(std::max<int64_t>(edge.row, 1)), random_(random) {}

  double next() {
    const auto column = at_ % row_;
    if (column == 0)
      chosen_ = at_ == 0 || random_.below(4) == 0 ? place() : -1;
    ++at_;
    if (column == chosen_) {
      constexpr auto infinity = std::numeric_limits<double>::infinity();
      if (at_ == column + 1) // in the first row
        return std::numeric_limits<double>::quiet_NaN();
      const std::array<double, 3> values{std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
      return values.at(random_.below(values.size()));
    }
    return fill_.distribution == fill_name::uniform ? fill_.low + (fill_.high - fill_.low) * random_.uniform()
                                                    : fill_.mean + fill_.std * random_.normal();
  }

private:
  int64_t below(int64_t n) { return static_cast<int64_t>(random_.below(static_cast<uint64_t>(n))); }

  int64_t place() {
    constexpr int64_t widest_vector = 64;
    switch (below(6)) {
      case 0:
        return 0;
      case 1:
        return row_ - 1;
      case 2:
        return row_ - 1 - below(std::min(row_, widest_vector));
      case 3:
        return below(std::min(row_, widest_vector));
      default:
        return below(row_);
    }
  }

  const fill_rule& fill_;
  int64_t row_;
  random_stream& random_;
  int64_t at_ = 0;
  int64_t chosen_ = -1;
};

// Fills an array with an edge case instead of its distribution. Returns false if the edge does not apply to the
// distribution.
bool fill_edge(const argument& a, byte_buffer& out, int64_t count, const edge_draw& draw, random_stream& random) {
  const auto edge = draw.kind;
  const auto& name = a.fill.distribution;
  const bool counts = name == fill_name::integer || name == fill_name::lengths;
  const bool real = name == fill_name::normal || name == fill_name::uniform;
  if (edge == edge_kind::zeros && (counts || real)) {
    const auto zero = counts ? std::clamp(0.0, a.fill.low, std::max(a.fill.low, a.fill.high)) : 0.0;
    fill_numbers(a.type, out, count, [zero] { return zero; });
    return true;
  }
  if (edge == edge_kind::large && counts) {
    fill_numbers(a.type, out, count, [&a] { return a.fill.high; });
    return true;
  }
  if (edge == edge_kind::large && real && is_floating(a.type)) {
    large_among_ordinary values{draw, large_scale(a.type), random};
    fill_numbers(a.type, out, count, [&values] { return values.next(); });
    return true;
  }
  if (edge == edge_kind::denormal && real && is_floating(a.type)) {
    const auto scale = std::ldexp(1.0, limits_of(a.type).min_exponent);
    fill_numbers(a.type, out, count, [&random, scale] { return scale * (2.0 * random.uniform() - 1.0); });
    return true;
  }
  if (edge == edge_kind::cancellation && real && is_floating(a.type)) {
    values_that_cancel values{a, draw.variant, random};
    fill_numbers(a.type, out, count, [&values] { return values.next(); });
    return true;
  }
  if (edge == edge_kind::special && real && is_floating(a.type)) {
    special_among_ordinary values{a, draw, random};
    fill_numbers(a.type, out, count, [&values] { return values.next(); });
    return true;
  }
  return false;
}

// Draws the gaps between sorted keys. The scale changes by powers of two every few keys, since keys of real tables come
// in dense runs with wide gaps between. A lookup that relies on even gaps would be right on synthetic data only. One
// table in four is nevertheless even.
class gap_widths {
public:
  gap_widths(double widest_bits, random_stream& random)
      : random_(random), bits_(random.below(4) == 0 ? 0.0 : widest_bits), run_(uint64_t{1} << random.below(9)) {}

  double next() {
    if (random_.below(run_) == 0)
      scale_ = std::exp2(bits_ * random_.uniform());
    return scale_ * std::max(random_.uniform(), 0x1.0p-20);
  }

private:
  random_stream& random_;
  double bits_;
  uint64_t run_; // average number of keys of one scale
  double scale_ = 1.0;
};

// Returns a declared bound as an integer, whatever was declared.
int64_t whole(double x, double most = 0x1.0p62) {
  return std::isnan(x) ? 0 : static_cast<int64_t>(std::clamp(x, -most, most));
}

result<byte_buffer> sorted_unique(const argument& a, int64_t count, random_stream& random) {
  byte_buffer out(static_cast<size_t>(count) * size_bytes(a.type));
  if (is_floating(a.type)) {
    const bool wide = a.type == dtype::f32 || a.type == dtype::f64;
    gap_widths widths{wide ? 20.0 : 0.0, random};
    double x = a.fill.low;
    for (int64_t i = 0; i < count; ++i) {
      x += widths.next() + ulp_of(a.type, x);
      store_number(a.type, out.data(), i, x);
    }
    return out;
  }
  constexpr uint64_t one_wide_in = 3;
  const bool wide = random.below(one_wide_in) == 0;
  const auto [low, high] = wide ? widest_bounds_of_keys(a, count) : bounds_of_keys(a, count);
  if (high - low + 1 < count)
    return fail(errc::bad_input, "argument '" + a.name + "': " + std::to_string(count) + " distinct values of "
                                     + to_string(a.type) + " do not exist");
  // Each key takes one place, and the gaps share the rest, so the sum cannot exceed the upper bound.
  gap_widths widths{40.0, random};
  std::vector<double> parts(static_cast<size_t>(count));
  double total = 0.0;
  for (auto& part : parts)
    total += part = widths.next();
  auto room = high - low + 1 - count;
  const auto share = static_cast<double>(room) / total;
  auto x = low - 1;
  for (int64_t i = 0; i < count; ++i) {
    const auto gap = std::min(static_cast<int64_t>(share * parts[static_cast<size_t>(i)]), room);
    room -= gap;
    x += 1 + gap;
    store_integer(a.type, out.data(), i, x);
  }
  return out;
}

result<byte_buffer> sample_of(const argument& a, int64_t count, const source_array& table, random_stream& random) {
  if (is_floating(a.type) || is_floating(table.type))
    return fail(errc::bad_input, "argument '" + a.name + "': sample_of is for integers");
  std::vector<int64_t> values(static_cast<size_t>(table.count));
  for (int64_t i = 0; i < table.count; ++i)
    values[static_cast<size_t>(i)] = load_integer(table.type, table.data, i);
  auto sorted = values;
  if (!std::is_sorted(sorted.begin(), sorted.end()))
    std::sort(sorted.begin(), sorted.end());
  const auto usual = largest_integer(a.type);
  const auto widest = a.type == dtype::i64 ? 2 * widest_key : usual;
  // A table with keys below zero has misses below them, too.
  const bool below_zero = !sorted.empty() && sorted.front() < 0;
  const auto margin = sorted.empty() ? 0 : (sorted.back() - std::min<int64_t>(sorted.front(), 0)) / 8 + 1;
  const auto low = below_zero ? std::max(-widest, sorted.front() - margin) : 0;
  const auto high = sorted.empty() ? usual : std::min(widest, sorted.back() + margin);
  const auto bound = std::max(usual, high);

  byte_buffer out(static_cast<size_t>(count) * size_bytes(a.type));
  for (int64_t i = 0; i < count; ++i) {
    int64_t x = 0;
    if (!values.empty() && random.uniform() < a.fill.hit)
      x = values[static_cast<size_t>(random.below(values.size()))];
    else {
      // Half of the misses lie beside an entry, where a lookup that compares only some bits would find it. A dense
      // table has few misses nearby; after some tries, the search widens.
      const bool beside = !values.empty() && random.below(2) == 0;
      for (int tries = 0; tries < 32; ++tries) {
        if (beside && tries < 8)
          x = std::clamp(values[static_cast<size_t>(random.below(values.size()))] + random.between(-3, 3), low, bound);
        else
          x = random.between(low, tries < 16 ? high : bound);
        if (!std::binary_search(sorted.begin(), sorted.end(), x))
          break;
      }
    }
    store_integer(a.type, out.data(), i, x);
  }
  return out;
}

result<byte_buffer> offsets_of(const argument& a, int64_t count, const source_array& lengths) {
  if (count != lengths.count + 1)
    return fail(errc::bad_input, "argument '" + a.name + "': offsets of " + std::to_string(lengths.count)
                                     + " lengths are " + std::to_string(lengths.count + 1) + " values, not "
                                     + std::to_string(count));
  byte_buffer out(static_cast<size_t>(count) * size_bytes(a.type));
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    store_integer(a.type, out.data(), i, sum);
    if (i < lengths.count)
      sum += load_integer(lengths.type, lengths.data, i);
  }
  return out;
}

} // namespace

double large_scale(dtype t) {
  switch (t) {
    case dtype::f16:
      return 16.0;
    case dtype::f64:
      return 1e100;
    default:
      return 1e12;
  }
}

bool has_free_keys(const argument& a) {
  const fill_rule of_program;
  constexpr double of_file =
      9.0; // whole numbers without a fill are from 0 to it; keys have no bounds of their own there
  const bool usual = a.fill.low == of_program.low && (a.fill.high == of_program.high || a.fill.high == of_file);
  return (a.type == dtype::i64 || a.type == dtype::i32) && usual;
}

key_bounds bounds_of_keys(const argument& a, int64_t count) {
  key_bounds out{whole(a.fill.low, 0x1.0p61), whole(a.fill.high, 0x1.0p61)};
  if (has_free_keys(a) || out.high - out.low + 1 < count)
    out = {0, largest_integer(a.type)};
  return out;
}

key_bounds widest_bounds_of_keys(const argument& a, int64_t count) {
  if (!has_free_keys(a))
    return bounds_of_keys(a, count);
  const auto most = a.type == dtype::i64 ? widest_key : largest_integer(a.type) / 2;
  return {-most, most};
}

result<byte_buffer> fill_array(const argument& a, int64_t count, const edge_draw& edge, const source_array& source,
                               random_stream random) {
  const auto& rule = a.fill;
  if (rule.distribution == fill_name::offsets)
    return offsets_of(a, count, source);
  if (rule.distribution == fill_name::sample_of)
    return sample_of(a, count, source, random);
  if (rule.distribution == fill_name::sorted_unique)
    return sorted_unique(a, count, random);

  byte_buffer out(static_cast<size_t>(count) * size_bytes(a.type));
  if (edge.kind != edge_kind::none && fill_edge(a, out, count, edge, random))
    return out;
  if (a.type == dtype::boolean) {
    for (int64_t i = 0; i < count; ++i)
      out.as<uint8_t>()[i] = static_cast<uint8_t>(random.next() & 1U);
    return out;
  }
  if (rule.distribution == fill_name::normal)
    fill_numbers(a.type, out, count, [&] { return rule.mean + rule.std * random.normal(); });
  else if (rule.distribution == fill_name::uniform)
    fill_numbers(a.type, out, count, [&] { return rule.low + (rule.high - rule.low) * random.uniform(); });
  else if (rule.distribution == fill_name::integer || rule.distribution == fill_name::lengths) {
    const auto low = whole(std::ceil(rule.low));
    const auto high = whole(std::floor(rule.high));
    if (is_floating(a.type))
      fill_numbers(a.type, out, count, [&] { return static_cast<double>(random.between(low, high)); });
    else
      for (int64_t i = 0; i < count; ++i)
        store_integer(a.type, out.data(), i, random.between(low, high));
  } else
    return fail(errc::bad_input, "argument '" + a.name + "': no distribution '" + rule.distribution + "'; there are "
                                     + comma_list({fill_name::all.begin(), fill_name::all.end()}));
  return out;
}

} // namespace kevolve
