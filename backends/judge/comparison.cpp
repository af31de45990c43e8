#include "backends/judge/comparison.hpp"

#include "backends/judge/numbers.hpp"
#include "backends/judge/pattern.hpp"
#include "backends/judge/widest.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kevolve {

namespace {

template <class T, class E>
[[gnu::always_inline]] inline bool all_within(const T* actual, const E* expected, int64_t n, double absolute,
                                              double relative, double most) {
  unsigned bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto c = static_cast<double>(actual[i]);
    const auto o = static_cast<double>(expected[i]);
    // The condition is negated and the relative part is on the left, so that NaN and infinity on either side count as
    // bad. Otherwise inf <= inf would pass. compare() handles values beyond the type's range.
    bad |= static_cast<unsigned>(!(std::fabs(c - o) - relative * std::fabs(o) <= absolute))
           | static_cast<unsigned>(std::fabs(o) > most);
  }
  return bad == 0;
}

KEVOLVE_WIDEST bool within_f32_f64(const float* c, const double* o, int64_t n, double absolute, double relative,
                                   double most) {
  return all_within(c, o, n, absolute, relative, most);
}
KEVOLVE_WIDEST bool within_f32_f32(const float* c, const float* o, int64_t n, double absolute, double relative,
                                   double most) {
  return all_within(c, o, n, absolute, relative, most);
}
KEVOLVE_WIDEST bool within_f64_f64(const double* c, const double* o, int64_t n, double absolute, double relative,
                                   double most) {
  return all_within(c, o, n, absolute, relative, most);
}
KEVOLVE_WIDEST void widen_f16(const uint16_t* from, float* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = half_to_float(from[i]);
}
KEVOLVE_WIDEST void widen_bf16(const uint16_t* from, float* to, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = bfloat_to_float(from[i]);
}

// The report's figures over finite accepted elements, computed at memory speed: a tenth of the 5 ns per element of the
// general path.
struct figures {
  double max_abs = 0.0;
  double max_rel = 0.0;
  double max_ulp = 0.0;
  double largest = 0.0; // largest expected magnitude
};

// The bits of non-negative numbers have the same order as the numbers, and an integer maximum vectorises.
inline int64_t ordered(double x) {
  return std::bit_cast<int64_t>(x);
}

template <class T, class E>
[[gnu::always_inline]] inline void all_figures(const T* actual, const E* expected, int64_t n, int mantissa_bits,
                                               int min_exponent, figures& out) {
  auto max_abs = ordered(out.max_abs);
  auto max_rel = ordered(out.max_rel);
  auto max_ulp = ordered(out.max_ulp);
  auto largest = ordered(out.largest);
  const auto least = static_cast<int64_t>(min_exponent) + 1023;
  for (int64_t i = 0; i < n; ++i) {
    const auto o = static_cast<double>(expected[i]);
    const auto size = std::fabs(o);
    const auto difference = std::fabs(static_cast<double>(actual[i]) - o);
    // Reciprocal of the spacing at o: 2^(mantissa bits - exponent of o).
    const auto exponent = std::max(ordered(size) >> 52, least);
    const auto per_unit = std::bit_cast<double>((2046 + mantissa_bits - exponent) << 52);
    const auto relative = difference / (size > 0.0 ? size : std::numeric_limits<double>::max());
    largest = std::max(largest, ordered(size));
    max_abs = std::max(max_abs, ordered(difference));
    max_rel = std::max(max_rel, ordered(relative));
    max_ulp = std::max(max_ulp, ordered(difference * per_unit));
  }
  out = {std::bit_cast<double>(max_abs), std::bit_cast<double>(max_rel), std::bit_cast<double>(max_ulp),
         std::bit_cast<double>(largest)};
}

// Returns the largest float not above x; x must not be negative.
inline float rounded_down(double x) {
  const auto near = static_cast<float>(std::min(x, static_cast<double>(std::numeric_limits<float>::max())));
  return static_cast<double>(near) > x ? std::nextafter(near, 0.0F) : near;
}

// Checks floats fast, in float arithmetic. Returns true if no figure grows, so that every element is within
// tolerance: the current figures are, by more than the rounding errors here. In doubt it returns false. Figures may be
// low by a few parts in a million, so that equal relative errors everywhere stay on the fast path.
[[gnu::always_inline]] inline bool nothing_new(const float* actual, const float* expected, int64_t n, double absolute,
                                               double relative, int mantissa_bits, int min_exponent, figures& out) {
  constexpr double certainly = 1.0 - 0x1.0p-20;
  if (out.max_abs != 0.0 && out.max_abs > absolute * certainly && out.max_rel > relative * certainly)
    return false;
  const auto max_abs = rounded_down(out.max_abs);
  const auto max_rel = rounded_down(out.max_rel * (1.0 + 0x1.0p-22));
  const auto max_ulp = rounded_down(out.max_ulp);
  const auto least = (min_exponent + 127) << 23;
  const auto unit_of_one = std::bit_cast<float>((127 - mantissa_bits) << 23);
  auto largest = std::bit_cast<int32_t>(static_cast<float>(out.largest));
  uint32_t news = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto size = std::fabs(expected[i]);
    const auto difference = std::fabs(actual[i] - expected[i]);
    const auto power = std::bit_cast<float>(std::max(std::bit_cast<int32_t>(size) & 0x7f800000, least));
    largest = std::max(largest, std::bit_cast<int32_t>(size));
    // Below the smallest normal float, products have large relative rounding errors.
    const auto share = max_rel * size;
    const auto units = max_ulp * (power * unit_of_one);
    const auto most_share = share >= std::numeric_limits<float>::min() ? share : 0.0F;
    const auto most_units = units >= std::numeric_limits<float>::min() ? units : 0.0F;
    // Negated, so that NaN counts as new.
    news |= static_cast<uint32_t>(!(difference <= max_abs)) | static_cast<uint32_t>(!(difference <= most_share))
            | static_cast<uint32_t>(!(difference <= most_units));
  }
  if (news == 0)
    out.largest = std::max(out.largest, static_cast<double>(std::bit_cast<float>(largest)));
  return news == 0;
}

// Checks the tolerance and updates the figures in one pass. A figure is computed only where it may exceed the current
// one, which is rare after the first blocks. That check needs no division.
template <class T, class E>
[[gnu::always_inline]] inline bool all_judged(const T* actual, const E* expected, int64_t n, double absolute,
                                              double relative, int mantissa_bits, int min_exponent, figures& out) {
  constexpr int64_t seen_at_once = 1024;
  const auto least = static_cast<int64_t>(min_exponent) + 1023;
  for (int64_t from = 0; from < n; from += seen_at_once) {
    const auto m = std::min(seen_at_once, n - from);
    const auto* a = actual + from;
    const auto* e = expected + from;
    if constexpr (std::is_same_v<T, float> && std::is_same_v<E, float>)
      if (nothing_new(a, e, m, absolute, relative, mantissa_bits, min_exponent, out))
        continue;
    const auto so_far = out;
    auto largest = ordered(so_far.largest);
    uint64_t bad = 0;
    uint64_t news = 0;
    for (int64_t i = 0; i < m; ++i) {
      const auto o = static_cast<double>(e[i]);
      const auto size = std::fabs(o);
      const auto difference = std::fabs(static_cast<double>(a[i]) - o);
      bad |= static_cast<uint64_t>(!(difference - relative * size <= absolute)); // same condition as in all_within()
      const auto exponent = std::max(ordered(size) >> 52, least);
      const auto per_unit = std::bit_cast<double>((2046 + mantissa_bits - exponent) << 52);
      const auto divisor = size > 0.0 ? size : std::numeric_limits<double>::max();
      largest = std::max(largest, ordered(size));
      news |= static_cast<uint64_t>(difference > so_far.max_abs)
              | static_cast<uint64_t>(difference > so_far.max_rel * divisor)
              | static_cast<uint64_t>(difference * per_unit > so_far.max_ulp);
    }
    if (bad != 0)
      return false;
    out.largest = std::bit_cast<double>(largest);
    if (news != 0)
      all_figures(a, e, m, mantissa_bits, min_exponent, out);
  }
  return true;
}

KEVOLVE_WIDEST bool judged_f32_f64(const float* c, const double* o, int64_t n, double absolute, double relative,
                                   int bits, int least, figures& out) {
  return all_judged(c, o, n, absolute, relative, bits, least, out);
}
KEVOLVE_WIDEST bool judged_f32_f32(const float* c, const float* o, int64_t n, double absolute, double relative,
                                   int bits, int least, figures& out) {
  return all_judged(c, o, n, absolute, relative, bits, least, out);
}

// 16-bit floats are converted in blocks on the stack.
constexpr int64_t block = 1024;

void widen(dtype t, const void* from, float* to, int64_t n) {
  if (t == dtype::f16)
    widen_f16(static_cast<const uint16_t*>(from), to, n);
  else
    widen_bf16(static_cast<const uint16_t*>(from), to, n);
}

// Compares a run of unit stride on both sides. Also returns false if the types have no fast path.
bool run_within(dtype t, const std::byte* actual, dtype expected_type, const std::byte* expected, int64_t n,
                double absolute, double relative) {
  const auto most = limits_of(t).largest;
  if (t == dtype::f32 && expected_type == dtype::f64)
    return within_f32_f64(reinterpret_cast<const float*>(actual), reinterpret_cast<const double*>(expected), n,
                          absolute, relative, most);
  if (t == dtype::f32 && expected_type == dtype::f32)
    return within_f32_f32(reinterpret_cast<const float*>(actual), reinterpret_cast<const float*>(expected), n, absolute,
                          relative, most);
  if (t == dtype::f64 && expected_type == dtype::f64)
    return within_f64_f64(reinterpret_cast<const double*>(actual), reinterpret_cast<const double*>(expected), n,
                          absolute, relative, most);
  if (t != dtype::f16 && t != dtype::bf16)
    return false;
  float c[block];
  float o[block];
  for (int64_t i = 0; i < n; i += block) {
    const auto m = std::min(block, n - i);
    widen(t, actual + i * 2, c, m);
    if (expected_type == dtype::f64) {
      if (!within_f32_f64(c, reinterpret_cast<const double*>(expected) + i, m, absolute, relative, most))
        return false;
      continue;
    }
    widen(t, expected + i * 2, o, m);
    if (!within_f32_f32(c, o, m, absolute, relative, most))
      return false;
  }
  return true;
}

// Does the same with figures. Also returns false if the types have no fast path.
bool run_judged(dtype t, const std::byte* actual, dtype expected_type, const std::byte* expected, int64_t n,
                double absolute, double relative, figures& out) {
  const auto l = limits_of(t);
  const bool wide = expected_type == dtype::f64;
  if (t == dtype::f32 && wide)
    return judged_f32_f64(reinterpret_cast<const float*>(actual), reinterpret_cast<const double*>(expected), n,
                          absolute, relative, l.mantissa_bits, l.min_exponent, out);
  if (t == dtype::f32 && expected_type == dtype::f32)
    return judged_f32_f32(reinterpret_cast<const float*>(actual), reinterpret_cast<const float*>(expected), n, absolute,
                          relative, l.mantissa_bits, l.min_exponent, out);
  if ((t != dtype::f16 && t != dtype::bf16) || !(wide || expected_type == t))
    return false;
  float c[block];
  float o[block];
  for (int64_t i = 0; i < n; i += block) {
    const auto m = std::min(block, n - i);
    widen(t, actual + i * 2, c, m);
    if (!wide)
      widen(t, expected + i * 2, o, m);
    if (!(wide ? judged_f32_f64(c, reinterpret_cast<const double*>(expected) + i, m, absolute, relative,
                                l.mantissa_bits, l.min_exponent, out)
               : judged_f32_f32(c, o, m, absolute, relative, l.mantissa_bits, l.min_exponent, out)))
      return false;
  }
  return true;
}

// Returns the spacing of a type's values from the exponent bits, like ulp_of() but without calls to libm.
double spacing(const float_limits& limits, double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  const auto exponent = std::clamp(static_cast<int>((bits >> 52U) & 0x7ffU) - 1023, limits.min_exponent, 1023);
  const auto scaled = exponent - limits.mantissa_bits + 1023;
  return scaled > 0 ? std::bit_cast<double>(static_cast<uint64_t>(scaled) << 52U)
                    : std::ldexp(1.0, exponent - limits.mantissa_bits);
}

class judge_of_elements {
public:
  judge_of_elements(dtype t, const comparison_rule& rule)
      : floating_(is_floating(t)), rule_(rule), limits_(limits_of(t)) {}

  void number(int64_t index, double c, double o) {
    // An expected value beyond the type's range becomes its infinity. A finite result that is near enough is accepted
    // as well.
    if (floating_ && std::isfinite(o) && std::fabs(o) > limits_.largest) {
      if (std::isfinite(c) && near_beyond(std::fabs(c - o), o))
        return;
      o = std::copysign(std::numeric_limits<double>::infinity(), o);
    }
    if (!std::isfinite(o)) {
      const bool same = std::isnan(o) ? std::isnan(c) : c == o;
      if (!same) {
        ++out_.not_met;
        refuse(index, c, rule_.nonfinite_match ? verdict::wrong_result : verdict::nonfinite);
      }
      return;
    }
    if (!std::isfinite(c)) {
      refuse(index, c, verdict::nonfinite);
      return;
    }
    const auto difference = std::fabs(c - o);
    const auto unit = floating_ ? spacing(limits_, o) : 1.0;
    out_.max_abs = std::max(out_.max_abs, difference);
    if (o != 0.0)
      out_.max_rel = std::max(out_.max_rel, difference / std::fabs(o));
    out_.max_ulp = std::max(out_.max_ulp, difference / unit);
    if (!within(difference, o, unit))
      refuse(index, c, verdict::wrong_result);
  }

  void integer(int64_t index, int64_t c, int64_t o) {
    if (c != o)
      number(index, static_cast<double>(c), static_cast<double>(o));
    // Beyond 2^53, two different integers may convert to the same double.
    if (c != o && rule_.mode == tolerance_mode::exact && static_cast<double>(c) == static_cast<double>(o))
      refuse(index, static_cast<double>(c), verdict::wrong_result);
  }

  const comparison& out() const { return out_; }

private:
  bool within(double difference, double o, double unit) const {
    switch (rule_.mode) {
      case tolerance_mode::absrel:
        return difference <= rule_.absolute + rule_.relative * std::fabs(o);
      case tolerance_mode::ulp:
        return difference <= rule_.limit * unit + rule_.absolute;
      case tolerance_mode::reference_error:
        return difference <= std::max(rule_.limit * rule_.reference_error, rule_.absolute) + unit;
      case tolerance_mode::exact:
        break;
    }
    return difference == 0.0;
  }

  // Uses the element's own tolerance. A tolerance that an edge case widened to the output's scale would accept any
  // number.
  bool near_beyond(double difference, double o) const {
    if (rule_.mode == tolerance_mode::absrel)
      return difference <= rule_.relative * std::fabs(o);
    return difference <= std::max(rule_.mode == tolerance_mode::ulp ? rule_.limit : 1.0, 1.0) * spacing(limits_, o);
  }

  // A finite number where an infinity was expected is a wrong result.
  void refuse(int64_t index, double c, verdict v) {
    ++out_.bad;
    out_.bad_nonfinite += std::isfinite(c) ? 0 : 1;
    if (out_.first_bad < 0)
      out_.first_bad = index;
    if (out_.result != verdict::nonfinite)
      out_.result = std::isfinite(c) ? verdict::wrong_result : v;
  }

  bool floating_;
  comparison_rule rule_;
  float_limits limits_;
  comparison out_;
};

// Calls visit(actual, expected, n) with runs of unit stride on both sides until it returns false.
template <class Visit>
bool every_run(const array_geometry& g, const void* actual, const expected_output& expected, int64_t elements,
               Visit visit) {
  const auto width = static_cast<int64_t>(size_bytes(g.type));
  const auto expected_width = static_cast<int64_t>(size_bytes(expected.type));
  bool ok = true;
  for_each_run(g, elements, [&](int64_t storage, int64_t logical, int64_t n) {
    ok = ok
         && visit(static_cast<const std::byte*>(actual) + storage * width,
                  expected.values.data() + logical * expected_width, n);
  });
  return ok;
}

// The fast path of compare(): everything is right and within the type's range, so only the figures are needed.
bool compare_fast(const array_geometry& g, const void* actual, const expected_output& expected, int64_t elements,
                  const comparison_rule& rule, comparison& out) {
  if (!is_floating(g.type)) // integers with equal bits are equal, so there is nothing to report
    return accepts(g, actual, expected, elements, rule);
  const auto b = acceptance_bounds(g.type, rule);
  figures f;
  const bool ok = every_run(g, actual, expected, elements, [&](const std::byte* c, const std::byte* o, int64_t n) {
    return run_judged(g.type, c, expected.type, o, n, b.absolute, b.relative, f);
  });
  if (!ok || f.largest > limits_of(g.type).largest)
    return false;
  out.max_abs = f.max_abs;
  out.max_rel = f.max_rel;
  out.max_ulp = f.max_ulp;
  return true;
}

} // namespace

acceptance acceptance_bounds(dtype t, const comparison_rule& rule) {
  acceptance out{rule.absolute, rule.relative};
  if (rule.mode == tolerance_mode::exact)
    out = {};
  else if (rule.mode == tolerance_mode::ulp) // one ulp is at least |o| * 2^-(stored bits + 1)
    out.relative = rule.limit * std::ldexp(1.0, -(limits_of(t).mantissa_bits + 1));
  else if (rule.mode == tolerance_mode::reference_error)
    out = {std::max(rule.limit * rule.reference_error, rule.absolute), 0.0};
  out.absolute = std::min(out.absolute, std::numeric_limits<double>::max()); // otherwise infinity would be accepted
  return out;
}

bool accepts(const array_geometry& g, const void* actual, const expected_output& expected, int64_t elements,
             const comparison_rule& rule) {
  const auto b = is_floating(g.type) ? acceptance_bounds(g.type, rule) : acceptance{};
  const auto width = static_cast<int64_t>(size_bytes(g.type));
  return every_run(g, actual, expected, elements, [&](const std::byte* c, const std::byte* o, int64_t n) {
    if (!is_floating(g.type))
      return g.type == expected.type && std::memcmp(c, o, static_cast<size_t>(n * width)) == 0;
    return run_within(g.type, c, expected.type, o, n, b.absolute, b.relative);
  });
}

comparison compare(const array_geometry& g, const void* actual, const expected_output& expected, int64_t elements,
                   const comparison_rule& rule, const byte_buffer* by_reference) {
  if (comparison out; compare_fast(g, actual, expected, elements, rule, out))
    return out;
  judge_of_elements judge{g.type, rule};
  const bool integers = !is_floating(g.type) && !is_floating(expected.type);
  const auto width = static_cast<int64_t>(size_bytes(g.type));
  const auto as_reference = [&](int64_t storage, int64_t logical) {
    return by_reference != nullptr
           && same_bytes(static_cast<const std::byte*>(actual) + storage * width,
                         by_reference->data() + logical * width, static_cast<size_t>(width))
           && std::isfinite(load_number(g.type, actual, storage));
  };
  for_each_run(g, elements, [&](int64_t storage, int64_t logical, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      if (as_reference(storage + i, logical + i))
        continue;
      else if (integers)
        judge.integer(logical + i, load_integer(g.type, actual, storage + i),
                      load_integer(expected.type, expected.values.data(), logical + i));
      else
        judge.number(logical + i, load_number(g.type, actual, storage + i),
                     load_number(expected.type, expected.values.data(), logical + i));
  });
  return judge.out();
}

std::string wrong_elements(const comparison& c, int64_t elements) {
  auto out = std::to_string(c.bad) + " of " + std::to_string(elements);
  if (c.bad_nonfinite == c.bad)
    out += " elements are infinite or NaN where something else was expected";
  else {
    out += " elements are outside the tolerance";
    if (c.bad_nonfinite > 0)
      out += ", " + std::to_string(c.bad_nonfinite) + " of them infinite or NaN";
  }
  if (c.not_met > 0)
    out += ", " + std::to_string(c.not_met) + " of them where infinity or NaN is expected";
  return out + ", the first at index " + std::to_string(c.first_bad);
}

double largest_magnitude(const expected_output& expected, int64_t elements) {
  double out = 0.0;
  for (int64_t i = 0; i < elements; ++i) {
    const auto x = std::fabs(load_number(expected.type, expected.values.data(), i));
    if (std::isfinite(x))
      out = std::max(out, x);
  }
  return out;
}

bool bit_equal(const array_geometry& g, const void* actual, const byte_buffer& other, int64_t elements) {
  const auto width = static_cast<int64_t>(size_bytes(g.type));
  bool ok = true;
  for_each_run(g, elements, [&](int64_t storage, int64_t logical, int64_t n) {
    ok = ok
         && same_bytes(static_cast<const std::byte*>(actual) + storage * width, other.data() + logical * width,
                       static_cast<size_t>(n * width));
  });
  return ok;
}

byte_buffer collect(const array_geometry& g, const void* storage, int64_t elements) {
  byte_buffer out;
  collect(g, storage, elements, out);
  return out;
}

void collect(const array_geometry& g, const void* storage, int64_t elements, byte_buffer& out) {
  elements = std::clamp<int64_t>(elements, 0, g.count);
  const auto width = static_cast<int64_t>(size_bytes(g.type));
  if (const auto bytes = static_cast<size_t>(elements * width); out.size() != bytes)
    out = byte_buffer(bytes);
  for_each_run(g, elements, [&](int64_t from, int64_t logical, int64_t n) {
    std::memcpy(out.data() + logical * width, static_cast<const std::byte*>(storage) + from * width,
                static_cast<size_t>(n * width));
  });
}

} // namespace kevolve
