// What the examiner's kernels are told to do with the arena, a piece of work at a time, and what they find. Compiled
// for the host and, without any library, for the device.
#pragma once

#include <stdint.h>

namespace kevolve::cuda {

enum class element : uint32_t { f16 = 0, bf16, f32, f64, bytes1, bytes2, bytes4, bytes8 };

enum class piece_kind : uint32_t {
  fill = 0,      // arena[at, +count) becomes the pattern
  bring,         // arena[at, +count) becomes block[other, +count)
  keep,          // block[other, +count) becomes arena[at, +count)
  holds,         // arena[at, +count) is the pattern
  same,          // arena[at, +count) is block[other, +count)
  gaps_hold,     // what of the array at `at` belongs to none of its first `count` elements is the pattern
  gaps_same,     // … is what the array at `other` has there
  equal,         // the first `count` elements are, bit for bit, those at `other`
  within,        // … are near enough to those at `other`: accepts() of backends/judge/comparison.cpp
  within_figures // … and the report's figures are wanted
};

inline constexpr uint32_t most_dimensions = 8;

// Plain numbers, so that the device reads what the host wrote. Places are bytes.
struct piece {
  piece_kind kind = piece_kind::fill;
  uint32_t block = 0; // 0: of the set; 1: what is kept from call to call
  uint64_t at = 0;    // from the arena's start
  uint64_t count = 0;
  uint64_t other = 0;   // from the block's start
  uint64_t pattern = 0; // eight bytes, anchored at the arena's start
  // Of elements: how the array lies.
  element type = element::f16;
  element other_type = element::f16;
  uint32_t compact = 0; // those at `other` lie side by side, in logical order; else as those in the arena
  uint32_t rank = 0;
  uint64_t span = 0; // elements from the first to the last, gaps included
  uint64_t dims[most_dimensions] = {};
  uint64_t strides[most_dimensions] = {}; // of elements, each at least what lies inside it
  uint32_t contiguous = 1;
  int32_t mantissa_bits = 0;
  int64_t min_exponent = 0;
  double absolute = 0.0; // |c - o| <= absolute + relative * |o|
  double relative = 0.0;
};

// Of one piece. Figures as the bits of doubles that are not negative, which are ordered as the numbers are.
struct finding {
  uint64_t bad = 0; // words, bytes or elements that are not as they ought to be
  int64_t max_abs = 0;
  int64_t max_rel = 0;
  int64_t max_ulp = 0;
  int64_t largest = 0; // expected magnitude
};

inline constexpr const char* examiner_kernel = "kevolve_examine";

} // namespace kevolve::cuda
