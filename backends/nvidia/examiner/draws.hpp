// The drawing of one array: each element follows from the key, the stream and the element's index alone, so that any
// thread draws any part. The same code is the device's kernel and runs on the host in tests.
#pragma once

#include "backends/nvidia/examiner/chacha.hpp"
#include "backends/nvidia/examiner/loops.hpp"
#include "backends/nvidia/examiner/variates.hpp"

namespace kevolve::cuda {

enum class draw_kind : uint32_t {
  normal = 0,     // first + second * a standard normal variate
  uniform,        // in [first, second)
  integer,        // low + an integer in [0, range); range 0 stands for 2^64
  boolean,        // 0 or 1
  constant,       // `first`
  large,          // large values among those of a normal distribution, as `variant` says; `second`: bits of the largest
  pairs,          // x and nearly -x in turn, |x| below `first`
  special_normal, // in some rows one value that is not finite, the others as `normal` or `uniform`
  special_uniform
};

// Plain numbers with the same layout on host and device. Places are in bytes.
struct draw_order {
  draw_kind kind = draw_kind::normal;
  element type = element::f32;
  uint32_t key[8] = {};
  uint64_t stream = 0;
  uint64_t at = 0; // from the block's start
  uint64_t count = 0;
  uint64_t span = 0; // elements from the first to the last, including gaps, which are filled with ones
  uint32_t contiguous = 1;
  uint32_t rank = 0;
  uint64_t dims[most_dimensions] = {};
  uint64_t strides[most_dimensions] = {};
  double first = 0.0;
  double second = 0.0;
  int64_t low = 0;
  uint64_t range = 0;
  uint64_t row = 1; // elements of a row, for values that are chosen by row
  uint32_t variant = 0;
  uint32_t padding = 0;
};

inline constexpr const char* draw_kernel = "kevolve_draw";
inline constexpr uint64_t row_streams = uint64_t{1} << 32U; // the stream of an array's rows is so many further on

// Returns a number in [0, n) from 32 bits.
inline uint64_t below_of(uint64_t bits32, uint64_t n) {
  return static_cast<uint64_t>(integer_of(bits32 << 32U, 0, n));
}

// Returns the factor of a large value, between 8 (or the largest, if that is less) and the largest: a power of two
// between two of which the factor grows linearly.
inline double magnitude_of(double unit, double largest_bits) {
  const double least = largest_bits < 3.0 ? largest_bits : 3.0;
  const double bits = least + (largest_bits - least) * unit;
  const auto whole = static_cast<int64_t>(bits);
  return __builtin_bit_cast(double, static_cast<uint64_t>(whole + 1023) << 52U)
         * (1.0 + (bits - static_cast<double>(whole)));
}

// Returns element `i` among large values: the variants of backends/judge/distributions.hpp.
inline double large_of(const draw_order& o, uint64_t bits, uint64_t i) {
  constexpr uint32_t first_scaled = 6;
  const double value = normal_of(bits);
  if (o.variant == 0)
    return magnitude_of(1.0, o.second) * value;
  // normal_of() leaves the low bits.
  if (o.variant == 1)
    return (bits & 7U) == 0 ? magnitude_of(static_cast<double>((bits >> 3U) & 255U) * 0x1.0p-8, o.second) * value
                            : value;
  if (o.variant >= first_scaled)
    return __builtin_bit_cast(double, static_cast<uint64_t>(1023 + 2 * (o.variant - first_scaled + 1)) << 52U) * value;
  const uint64_t row = i / o.row;
  const auto of_row = chacha20(o.key, row, o.stream + row_streams);
  // The first row is ordinary and the second is large, against kernels that judge all rows by the first.
  const bool row_is_large = row == 1 || (row > 1 && (of_row.words[2] & 7U) == 0);
  const bool large = o.variant == 2 ? i % o.row == below_of(of_row.words[1] >> 32U, o.row) : row_is_large;
  return large ? magnitude_of(unit_of(of_row.words[0]), o.second) * value : value;
}

// Returns the place in a row for a value that is not finite: often an end of the row or the remainder of its vectors.
inline uint64_t special_place(const random_block& of_row, uint64_t row) {
  constexpr uint64_t widest_vector = 64;
  const uint64_t near = below_of(of_row.words[1] >> 32U, row < widest_vector ? row : widest_vector);
  switch (below_of(of_row.words[2] >> 32U, 6)) {
    case 0:
      return 0;
    case 1:
      return row - 1;
    case 2:
      return row - 1 - near;
    case 3:
      return near;
    default:
      return below_of(of_row.words[3] >> 32U, row);
  }
}

// Returns element `i`: one value that is not finite in the first row and in a quarter of the others.
inline double special_of(const draw_order& o, double ordinary, uint64_t i) {
  const uint64_t row = i / o.row;
  const auto of_row = chacha20(o.key, row, o.stream + row_streams);
  if ((row != 0 && (of_row.words[0] & 3U) != 0) || i % o.row != special_place(of_row, o.row))
    return ordinary;
  const uint64_t which = row == 0 ? 0 : below_of(of_row.words[4] >> 32U, 3);
  return __builtin_bit_cast(double, which == 0   ? 0x7ff8'0000'0000'0000ULL
                                    : which == 1 ? 0x7ff0'0000'0000'0000ULL
                                                 : 0xfff0'0000'0000'0000ULL);
}

// Returns element `i` from its own random bits, and from those of the element before it if `i` is odd.
inline double number_of(const draw_order& o, uint64_t bits, uint64_t before, uint64_t i) {
  switch (o.kind) {
    case draw_kind::normal:
      return o.first + o.second * normal_of(bits);
    case draw_kind::uniform:
      return o.first + (o.second - o.first) * unit_of(bits);
    case draw_kind::constant:
      return o.first;
    case draw_kind::large:
      return large_of(o, bits, i);
    case draw_kind::pairs:
      if (i % 2 == 0)
        return o.first * unit_of(bits);
      return -(o.first * unit_of(before)) * (1.0 - unit_of(bits) * 0x1.0p-10);
    case draw_kind::special_normal:
      return special_of(o, o.first + o.second * normal_of(bits), i);
    case draw_kind::special_uniform:
      return special_of(o, o.first + (o.second - o.first) * unit_of(bits), i);
    default:
      return static_cast<double>(integer_of(bits, o.low, o.range));
  }
}

// Stores element `i` at storage position `s`.
KEVOLVE_INLINE void store_drawn(const draw_order& o, bytes_out array, uint64_t bits, uint64_t before, uint64_t i,
                                uint64_t s) {
  const bool whole = o.kind == draw_kind::integer || o.kind == draw_kind::boolean;
  const auto integer = [&] {
    return static_cast<uint64_t>(o.kind == draw_kind::boolean ? static_cast<int64_t>(bits & 1U)
                                 : whole                      ? integer_of(bits, o.low, o.range)
                                                              : static_cast<int64_t>(o.first));
  };
  switch (o.type) {
    case element::f16:
      reinterpret_cast<uint16_t*>(array)[s] = narrowed(number_of(o, bits, before, i), 10);
      break;
    case element::bf16:
      reinterpret_cast<uint16_t*>(array)[s] = narrowed(number_of(o, bits, before, i), 7);
      break;
    case element::f32:
      reinterpret_cast<float*>(array)[s] = static_cast<float>(number_of(o, bits, before, i));
      break;
    case element::f64:
      reinterpret_cast<double*>(array)[s] = number_of(o, bits, before, i);
      break;
    case element::bytes1:
      array[s] = static_cast<unsigned char>(integer());
      break;
    case element::bytes2:
      reinterpret_cast<uint16_t*>(array)[s] = static_cast<uint16_t>(integer());
      break;
    case element::bytes4:
      reinterpret_cast<uint32_t*>(array)[s] = static_cast<uint32_t>(integer());
      break;
    case element::bytes8:
      reinterpret_cast<uint64_t*>(array)[s] = integer();
      break;
  }
}

// Returns the logical index of storage element `s`; not less than o.count if it lies in a gap.
inline uint64_t logical_of(const draw_order& o, uint64_t s) {
  uint64_t logical = 0;
  for (uint32_t d = 0; d < o.rank; ++d) {
    const uint64_t index = s / o.strides[d];
    if (index >= o.dims[d])
      return o.count;
    s -= index * o.strides[d];
    logical = logical * o.dims[d] + index;
  }
  return s == 0 ? logical : o.count;
}

// Returns the number of the blocks of random numbers, or the elements of an array with gaps, that a launch goes
// through.
inline uint64_t steps_of(const draw_order& o) {
  return o.contiguous != 0 ? (o.count + words_per_block - 1) / words_per_block : o.span;
}

// Draws this thread's share of an array.
KEVOLVE_INLINE void draw(bytes_out block, const draw_order& o, share mine) {
  auto* array = block + o.at;
  const uint64_t steps = steps_of(o);
  for (uint64_t k = mine.first; k < steps; k += mine.step) {
    if (o.contiguous != 0) {
      const auto random = chacha20(o.key, k, o.stream);
      const uint64_t first = k * words_per_block;
      // Unrolled, so that the words stay in registers.
#pragma GCC unroll 8
      for (uint32_t j = 0; j < words_per_block; ++j)
        if (first + j < o.count)
          store_drawn(o, array, random.words[j], random.words[j & ~1U], first + j, first + j);
      continue;
    }
    const uint64_t width = width_of(o.type);
    const uint64_t i = logical_of(o, k);
    if (i < o.count) {
      const auto random = chacha20(o.key, i / words_per_block, o.stream);
      const auto j = i % words_per_block;
      store_drawn(o, array, random.words[j], random.words[j & ~uint64_t{1}], i, k);
    } else
      for (uint64_t b = 0; b < width; ++b)
        array[k * width + b] = 0xff;
  }
}

} // namespace kevolve::cuda
