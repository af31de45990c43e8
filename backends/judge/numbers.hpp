// The element types as numbers: every dtype to and from double, and the spacing of its values.
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
  // Scaling by 2^112 moves the exponent bias and normalises denormals at once.
  const auto magnitude = std::bit_cast<float>(rest << 13U) * 0x1.0p112F;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

inline float bfloat_to_float(uint16_t b) {
  return std::bit_cast<float>(static_cast<uint32_t>(b) << 16U);
}

// Round to nearest even.
uint16_t double_to_half(double x);
uint16_t double_to_bfloat(double x);

// What limits a floating type. Zeros for integers.
struct float_limits {
  int mantissa_bits = 0; // stored bits: f32 23
  int min_exponent = 0;  // of the smallest normal: f32 -126
  double largest = 0.0;
};
float_limits limits_of(dtype t);

// Spacing of the type's values around x.
double ulp_of(dtype t, double x);

// Element `i` of an array of type t.
double load_number(dtype t, const void* data, int64_t i);
// Rounds to the type; integers saturate.
void store_number(dtype t, void* data, int64_t i, double x);
// Integers without the detour through double.
int64_t load_integer(dtype t, const void* data, int64_t i);
void store_integer(dtype t, void* data, int64_t i, int64_t x);

} // namespace kevolve
