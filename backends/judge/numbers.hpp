// Conversions of all element types to and from double, and the spacing of their values.
#pragma once

#include "runtime/base/contract.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace kevolve {

inline float half_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000U) << 16U;
  const uint32_t rest = h & 0x7fffU;
  if (rest >= 0x7c00U)
    return std::bit_cast<float>(sign | 0x7f800000U | ((rest & 0x3ffU) << 13U));
  // Multiplying by 2^112 corrects the exponent bias and normalises denormals at once.
  const auto magnitude = std::bit_cast<float>(rest << 13U) * 0x1.0p112F;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

inline float bfloat_to_float(uint16_t b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b) << 16U);
}

// Round to the nearest value, ties to even.
uint16_t double_to_half(double x);
uint16_t double_to_bfloat(double x);

// The limits of a floating type; zeros for integers.
struct float_limits {
  int mantissa_bits = 0; // stored bits; 23 for f32
  int min_exponent = 0;  // exponent of the smallest normal number; -126 for f32
  double largest = 0.0;
};
float_limits limits_of(dtype t);

// Returns the spacing of the type's values around x.
double ulp_of(dtype t, double x);

// Returns element `i` of an array of type t.
double load_number(dtype t, const void* data, int64_t i);
// Stores x rounded to the type; integers saturate.
void store_number(dtype t, void* data, int64_t i, double x);
// Load and store integers without conversion to double.
int64_t load_integer(dtype t, const void* data, int64_t i);
void store_integer(dtype t, void* data, int64_t i, int64_t x);

} // namespace kevolve
