// The work of one thread on one piece, as loops over words or elements. The same code is the examiner's kernel on the
// device and runs on the host in tests. It uses no library and no exceptions; all arithmetic is in double and never
// fused.
#pragma once

#include "backends/nvidia/examiner/pieces.hpp"

// Inlining keeps numbers that are passed by reference in registers.
#define KEVOLVE_INLINE [[gnu::always_inline]] inline

namespace kevolve::cuda {

using bytes_in = const unsigned char*;
using bytes_out = unsigned char*;

// A thread's index and the number of threads.
struct share {
  uint64_t first = 0;
  uint64_t step = 1;
};

// Runs this share of n iterations, four at a time, so that their loads overlap.
template <class Body>
KEVOLVE_INLINE void in_fours(uint64_t n, share mine, Body body) {
  uint64_t i = mine.first;
  for (; i + 3 * mine.step < n; i += 4 * mine.step) {
    body(i);
    body(i + mine.step);
    body(i + 2 * mine.step);
    body(i + 3 * mine.step);
  }
  for (; i < n; i += mine.step)
    body(i);
}

inline uint64_t word_at(bytes_in p) {
  return *reinterpret_cast<const uint64_t*>(p);
}

inline double half_number(uint32_t h) {
  const uint64_t sign = static_cast<uint64_t>(h & 0x8000U) << 48U;
  const uint64_t exponent = (h >> 10U) & 31U;
  const uint64_t mantissa = h & 0x3ffU;
  if (exponent == 0) {
    const double magnitude = static_cast<double>(mantissa) * 0x1.0p-24;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint64_t wide = exponent == 31 ? 2047 : exponent + 1008;
  return __builtin_bit_cast(double, sign | (wide << 52U) | (mantissa << 42U));
}

inline double number_at(element t, bytes_in p, uint64_t i) {
  switch (t) {
    case element::f16:
      return half_number(reinterpret_cast<const uint16_t*>(p)[i]);
    case element::bf16:
      return static_cast<double>(
          __builtin_bit_cast(float, static_cast<uint32_t>(reinterpret_cast<const uint16_t*>(p)[i]) << 16U));
    case element::f32:
      return static_cast<double>(reinterpret_cast<const float*>(p)[i]);
    default:
      return reinterpret_cast<const double*>(p)[i];
  }
}

inline uint64_t width_of(element t) {
  switch (t) {
    case element::bytes1:
      return 1;
    case element::f16:
    case element::bf16:
    case element::bytes2:
      return 2;
    case element::f32:
    case element::bytes4:
      return 4;
    default:
      return 8;
  }
}

// Returns the storage position of logical element `i`, in elements.
inline uint64_t storage_of(const piece& p, uint64_t i) {
  if (p.contiguous != 0)
    return i;
  uint64_t out = 0;
  for (uint32_t d = p.rank; d-- > 0;) {
    out += i % p.dims[d] * p.strides[d];
    i /= p.dims[d];
  }
  return out;
}

// Returns whether storage element `s` is one of the first `count`.
inline bool counts(const piece& p, uint64_t s) {
  if (p.contiguous != 0)
    return s < p.count;
  uint64_t logical = 0;
  for (uint32_t d = 0; d < p.rank; ++d) {
    const uint64_t index = s / p.strides[d];
    if (index >= p.dims[d])
      return false;
    s -= index * p.strides[d];
    logical = logical * p.dims[d] + index;
  }
  return s == 0 && logical < p.count;
}

// Returns whether this thread handles the bytes that form no whole word.
inline bool sees_to_the_rest(share mine) {
  return mine.first == 0;
}

// Visits arena[at, +count): one(place of a whole word), part(place of a byte at the edges). Places count from the
// arena's start.
template <class One, class Part>
KEVOLVE_INLINE void each_word(const piece& p, share mine, One one, Part part) {
  const uint64_t from = p.at;
  const uint64_t to = p.at + p.count;
  const uint64_t first = (from + 7) / 8;
  const uint64_t last = to / 8;
  if (first < last)
    in_fours(last - first, mine, [&](uint64_t w) { one(8 * (first + w)); });
  if (!sees_to_the_rest(mine))
    return;
  for (uint64_t i = from; i < to && i < 8 * first; ++i)
    part(i);
  for (uint64_t i = last < first ? to : 8 * last; i < to; ++i)
    part(i);
}

inline unsigned char byte_of(uint64_t pattern, uint64_t i) {
  return static_cast<unsigned char>(pattern >> (8 * i));
}

// Both sides begin at multiples of eight.
inline void copy_words(bytes_out to, bytes_in from, uint64_t count, share mine) {
  const uint64_t words = count / 8;
  auto* t = reinterpret_cast<uint64_t*>(to);
  const auto* f = reinterpret_cast<const uint64_t*>(from);
  uint64_t w = mine.first;
  // Explicit loads of four words overlap; otherwise the compiler must assume that a store aliases the next load.
  for (; w + 3 * mine.step < words; w += 4 * mine.step) {
    const uint64_t a = f[w];
    const uint64_t b = f[w + mine.step];
    const uint64_t c = f[w + 2 * mine.step];
    const uint64_t d = f[w + 3 * mine.step];
    t[w] = a;
    t[w + mine.step] = b;
    t[w + 2 * mine.step] = c;
    t[w + 3 * mine.step] = d;
  }
  for (; w < words; w += mine.step)
    t[w] = f[w];
  for (uint64_t i = 8 * words; sees_to_the_rest(mine) && i < count; ++i)
    to[i] = from[i];
}

inline uint64_t differing_words(bytes_in a, bytes_in b, uint64_t count, share mine) {
  const uint64_t words = count / 8;
  uint64_t bad = 0;
  in_fours(words, mine, [&](uint64_t w) { bad += word_at(a + 8 * w) != word_at(b + 8 * w) ? 1U : 0U; });
  for (uint64_t i = 8 * words; sees_to_the_rest(mine) && i < count; ++i)
    bad += a[i] != b[i] ? 1U : 0U;
  return bad;
}

inline uint64_t bad_gaps(bytes_in arena, bytes_in block, const piece& p, share mine) {
  const uint64_t width = width_of(p.type);
  uint64_t bad = 0;
  for (uint64_t s = mine.first; s < p.span; s += mine.step) {
    if (counts(p, s))
      continue;
    for (uint64_t i = s * width; i < (s + 1) * width; ++i) {
      const auto wanted = p.kind == piece_kind::gaps_same ? block[p.other + i] : byte_of(p.pattern, (p.at + i) % 8);
      bad += arena[p.at + i] != wanted ? 1U : 0U;
    }
  }
  return bad;
}

inline uint64_t unequal(bytes_in arena, bytes_in block, const piece& p, share mine) {
  const uint64_t width = width_of(p.type);
  uint64_t bad = 0;
  for (uint64_t i = mine.first; i < p.count; i += mine.step) {
    const uint64_t s = storage_of(p, i);
    const auto* a = arena + p.at + s * width;
    const auto* b = block + p.other + (p.compact != 0 ? i : s) * width;
    bool same = true;
    for (uint64_t k = 0; k < width; ++k)
      same = same && a[k] == b[k];
    bad += same ? 0U : 1U;
  }
  return bad;
}

inline int64_t ordered_bits(double x) {
  return __builtin_bit_cast(int64_t, x);
}

inline int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

// Must agree with all_within() and all_figures() of backends/judge/comparison.cpp.
template <bool Figures>
KEVOLVE_INLINE void judge(double c, double o, const piece& p, finding& out) {
  constexpr double greatest = 0x1.fffffffffffffp1023;
  const double difference = __builtin_fabs(c - o);
  const double size = __builtin_fabs(o);
  const double allowed = p.relative * size;
  // Negated, so that NaN and infinity on either side count as outside.
  out.bad += difference - allowed <= p.absolute ? 0U : 1U;
  if constexpr (Figures) {
    const int64_t exponent = larger(ordered_bits(size) >> 52, p.min_exponent + 1023);
    const auto per_unit = __builtin_bit_cast(double, (2046 + p.mantissa_bits - exponent) << 52);
    out.largest = larger(out.largest, ordered_bits(size));
    out.max_abs = larger(out.max_abs, ordered_bits(difference));
    out.max_rel = larger(out.max_rel, ordered_bits(difference / (size > 0.0 ? size : greatest)));
    out.max_ulp = larger(out.max_ulp, ordered_bits(difference * per_unit));
  }
}

template <element T, element E, bool Figures>
inline finding outside_in_line(bytes_in actual, bytes_in expected, const piece& p, share mine) {
  finding out;
  in_fours(p.count, mine,
           [&](uint64_t i) { judge<Figures>(number_at(T, actual, i), number_at(E, expected, i), p, out); });
  return out;
}

template <bool Figures>
inline finding outside(bytes_in actual, bytes_in expected, const piece& p, share mine) {
  finding out;
  const bool wide = p.other_type == element::f64;
  if (!wide && p.other_type != p.type) {
    out.bad = 1; // this pair of types is never accepted
    return out;
  }
  if (p.contiguous == 0) {
    for (uint64_t i = mine.first; i < p.count; i += mine.step)
      judge<Figures>(number_at(p.type, actual, storage_of(p, i)), number_at(p.other_type, expected, i), p, out);
    return out;
  }
  switch (p.type) {
    case element::f16:
      return wide ? outside_in_line<element::f16, element::f64, Figures>(actual, expected, p, mine)
                  : outside_in_line<element::f16, element::f16, Figures>(actual, expected, p, mine);
    case element::bf16:
      return wide ? outside_in_line<element::bf16, element::f64, Figures>(actual, expected, p, mine)
                  : outside_in_line<element::bf16, element::bf16, Figures>(actual, expected, p, mine);
    case element::f32:
      return wide ? outside_in_line<element::f32, element::f64, Figures>(actual, expected, p, mine)
                  : outside_in_line<element::f32, element::f32, Figures>(actual, expected, p, mine);
    case element::f64:
      return outside_in_line<element::f64, element::f64, Figures>(actual, expected, p, mine);
    default:
      out.bad = 1;
      return out;
  }
}

// Must agree with not_finite() and largest_magnitude() of backends/judge.
inline finding beyond(bytes_in expected, const piece& p, share mine) {
  finding out;
  in_fours(p.count, mine, [&](uint64_t i) {
    const double size = __builtin_fabs(number_at(p.other_type, expected, i));
    if (size < p.absolute)
      out.largest = larger(out.largest, ordered_bits(size));
    else
      ++out.bad;
  });
  return out;
}

// Examines this thread's share of a piece.
KEVOLVE_INLINE finding examine(bytes_out arena, bytes_out block, const piece& p, share mine) {
  const uint64_t pattern = p.pattern;
  uint64_t bad = 0;
  switch (p.kind) {
    case piece_kind::fill:
      each_word(
          p, mine, [&](uint64_t i) { *reinterpret_cast<uint64_t*>(arena + i) = pattern; },
          [&](uint64_t i) { arena[i] = byte_of(pattern, i % 8); });
      break;
    case piece_kind::bring:
      copy_words(arena + p.at, block + p.other, p.count, mine);
      break;
    case piece_kind::keep:
      copy_words(block + p.other, arena + p.at, p.count, mine);
      break;
    case piece_kind::holds:
      each_word(
          p, mine, [&](uint64_t i) { bad += word_at(arena + i) != pattern ? 1U : 0U; },
          [&](uint64_t i) { bad += arena[i] != byte_of(pattern, i % 8) ? 1U : 0U; });
      break;
    case piece_kind::same:
      bad = differing_words(arena + p.at, block + p.other, p.count, mine);
      break;
    case piece_kind::gaps_hold:
    case piece_kind::gaps_same:
      bad = bad_gaps(arena, block, p, mine);
      break;
    case piece_kind::equal:
      bad = unequal(arena, block, p, mine);
      break;
    case piece_kind::within:
      return outside<false>(arena + p.at, block + p.other, p, mine);
    case piece_kind::within_figures:
      return outside<true>(arena + p.at, block + p.other, p, mine);
    case piece_kind::block_equal:
      bad = unequal(block, block, p, mine);
      break;
    case piece_kind::block_figures:
      return outside<true>(block + p.at, block + p.other, p, mine);
    case piece_kind::finite:
      return beyond(block + p.other, p, mine);
  }
  finding out;
  out.bad = bad;
  return out;
}

} // namespace kevolve::cuda
