// The instructions for the examiner's kernels, one piece of work each, and their findings. Compiled for the host and,
// without any library, for the device.
#pragma once

#include <stdint.h>

namespace kevolve::cuda {

enum class element : uint32_t { f16 = 0, bf16, f32, f64, bytes1, bytes2, bytes4, bytes8 };

enum class piece_kind : uint32_t {
  fill = 0,  // writes the pattern to arena[at, +count)
  bring,     // copies block[other, +count) to arena[at, +count)
  keep,      // copies arena[at, +count) to block[other, +count)
  holds,     // checks that arena[at, +count) holds the pattern
  same,      // checks that arena[at, +count) equals block[other, +count)
  gaps_hold, // checks that the array at `at` holds the pattern everywhere outside its first `count` elements
  gaps_same, // checks that these gaps equal those of the array at `other`
  equal,     // checks that the first `count` elements equal those at `other` bit for bit
  within,    // checks that they are within tolerance of those at `other`: accepts() of backends/judge/comparison.cpp
  within_figures, // the same check, with the report's figures
  block_equal,    // checks that `count` elements of block[at] equal those at `other` bit for bit; both are contiguous
  block_figures,  // compares such elements as within_figures does
  finite          // checks that block[other, +count) holds numbers below `absolute`; with the largest magnitude
};

inline constexpr uint32_t most_dimensions = 8;

// Plain numbers with the same layout on host and device. Places are in bytes.
struct piece {
  piece_kind kind = piece_kind::fill;
  uint32_t block = 0; // 0: of the input set; 1: kept from call to call
  uint64_t at = 0;    // from the arena's start
  uint64_t count = 0;
  uint64_t other = 0;   // from the block's start
  uint64_t pattern = 0; // eight bytes, anchored at the arena's start
  // The layout of the array's elements.
  element type = element::f16;
  element other_type = element::f16;
  uint32_t compact = 0; // elements at `other` are contiguous in logical order; otherwise they have the arena's layout
  uint32_t rank = 0;
  uint64_t span = 0; // elements from the first to the last, including gaps
  uint64_t dims[most_dimensions] = {};
  uint64_t strides[most_dimensions] = {}; // in elements; each covers the dimensions inside it
  uint32_t contiguous = 1;
  int32_t mantissa_bits = 0;
  int64_t min_exponent = 0;
  double absolute = 0.0; // tolerance: |c - o| <= absolute + relative * |o|
  double relative = 0.0;
};

// The findings about one piece. Figures are the bits of non-negative doubles, whose order is that of the numbers.
struct finding {
  uint64_t bad = 0; // words, bytes or elements that fail the check
  int64_t max_abs = 0;
  int64_t max_rel = 0;
  int64_t max_ulp = 0;
  int64_t largest = 0; // largest expected magnitude
};

inline constexpr const char* examiner_kernel = "kevolve_examine";

} // namespace kevolve::cuda
