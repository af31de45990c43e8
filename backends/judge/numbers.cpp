#include "backends/judge/numbers.hpp"

#include <algorithm>
#include <limits>

namespace kevolve {

namespace {

template <class T>
T load(const void* data, int64_t i) {
  T out{};
  std::memcpy(&out, static_cast<const char*>(data) + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return out;
}

template <class T>
void store(void* data, int64_t i, T x) {
  std::memcpy(static_cast<char*>(data) + i * static_cast<int64_t>(sizeof(T)), &x, sizeof(T));
}

// Rounds to the type's spacing by scaling, which is exact in double for both 16-bit types.
double round_to_spacing(dtype t, double x) {
  const auto unit = ulp_of(t, x);
  return std::nearbyint(x / unit) * unit;
}

template <class T>
int64_t saturate(int64_t x) {
  return std::clamp<int64_t>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
}

} // namespace

float_limits limits_of(dtype t) {
  switch (t) {
    case dtype::f16:
      return {10, -14, 65504.0};
    case dtype::bf16:
      return {7, -126, 0x1.fep127};
    case dtype::f32:
      return {23, -126, std::numeric_limits<float>::max()};
    case dtype::f64:
      return {52, -1022, std::numeric_limits<double>::max()};
    default:
      return {};
  }
}

double ulp_of(dtype t, double x) {
  const auto limits = limits_of(t);
  if (limits.mantissa_bits == 0)
    return 1.0;
  const auto magnitude = std::fabs(x);
  int exponent = limits.min_exponent;
  if (magnitude > 0.0 && std::isfinite(magnitude))
    exponent = std::max(std::ilogb(std::min(magnitude, limits.largest)), limits.min_exponent);
  return std::ldexp(1.0, exponent - limits.mantissa_bits);
}

uint16_t double_to_half(double x) {
  const uint32_t sign = std::signbit(x) ? 0x8000U : 0U;
  if (std::isnan(x))
    return static_cast<uint16_t>(sign | 0x7e00U);
  const auto rounded = std::isinf(x) ? x : round_to_spacing(dtype::f16, x);
  const auto magnitude = std::fabs(rounded);
  if (magnitude > 65504.0)
    return static_cast<uint16_t>(sign | 0x7c00U);
  if (magnitude < 0x1.0p-14)
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(magnitude * 0x1.0p24));
  const auto exponent = std::ilogb(magnitude);
  const auto mantissa = static_cast<uint32_t>(std::ldexp(magnitude, 10 - exponent)) & 0x3ffU;
  return static_cast<uint16_t>(sign | (static_cast<uint32_t>(exponent + 15) << 10U) | mantissa);
}

uint16_t double_to_bfloat(double x) {
  if (std::isnan(x))
    return 0x7fc0U;
  const auto rounded = std::isinf(x) ? x : round_to_spacing(dtype::bf16, x);
  // A double with a bfloat16's value is exact as a float. Values beyond the range become infinity.
  const auto narrowed = std::fabs(rounded) > 0x1.fep127 ? std::copysign(std::numeric_limits<float>::infinity(),
                                                                        static_cast<float>(std::copysign(1.0, x)))
                                                        : static_cast<float>(rounded);
  return static_cast<uint16_t>(std::bit_cast<uint32_t>(narrowed) >> 16U);
}

namespace {

// Returns the nearest integer; 0 for NaN.
int64_t to_integer(double x) {
  constexpr double range = 0x1.fffffffffffffp62; // the largest double below 2^63
  return std::isnan(x) ? 0 : static_cast<int64_t>(std::clamp(std::nearbyint(x), -range, range));
}

} // namespace

double load_number(dtype t, const void* data, int64_t i) {
  switch (t) {
    case dtype::f16:
      return static_cast<double>(half_to_float(load<uint16_t>(data, i)));
    case dtype::bf16:
      return static_cast<double>(bfloat_to_float(load<uint16_t>(data, i)));
    case dtype::f32:
      return static_cast<double>(load<float>(data, i));
    case dtype::f64:
      return load<double>(data, i);
    default:
      return static_cast<double>(load_integer(t, data, i));
  }
}

void store_number(dtype t, void* data, int64_t i, double x) {
  switch (t) {
    case dtype::f16:
      return store(data, i, double_to_half(x));
    case dtype::bf16:
      return store(data, i, double_to_bfloat(x));
    case dtype::f32:
      return store(data, i, static_cast<float>(x));
    case dtype::f64:
      return store(data, i, x);
    default:
      break;
  }
  store_integer(t, data, i, to_integer(x));
}

int64_t load_integer(dtype t, const void* data, int64_t i) {
  switch (t) {
    case dtype::i8:
      return load<int8_t>(data, i);
    case dtype::u8:
    case dtype::boolean:
      return load<uint8_t>(data, i);
    case dtype::i32:
      return load<int32_t>(data, i);
    case dtype::i64:
      return load<int64_t>(data, i);
    default:
      return to_integer(load_number(t, data, i));
  }
}

void store_integer(dtype t, void* data, int64_t i, int64_t x) {
  switch (t) {
    case dtype::i8:
      return store(data, i, static_cast<int8_t>(saturate<int8_t>(x)));
    case dtype::u8:
      return store(data, i, static_cast<uint8_t>(saturate<uint8_t>(x)));
    case dtype::boolean:
      return store(data, i, static_cast<uint8_t>(x != 0 ? 1 : 0));
    case dtype::i32:
      return store(data, i, static_cast<int32_t>(saturate<int32_t>(x)));
    case dtype::i64:
      return store(data, i, x);
    default:
      return store_number(t, data, i, static_cast<double>(x));
  }
}

} // namespace kevolve
