// Numbers of a distribution from random bits, and their conversion to narrow types. The same bits give the same number
// on the host and on the device: only operations that IEEE 754 rounds correctly are used, and none is fused.
#pragma once

#include <stdint.h>

namespace kevolve::cuda {

// Returns a number in [0, 1), a multiple of 2^-53.
inline double unit_of(uint64_t bits) {
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

inline double root_of(double x) {
#if defined(__NVPTX__)
  return __nvvm_sqrt_rn_d(x);
#else
  return __builtin_sqrt(x);
#endif
}

// Returns the natural logarithm of a positive normal number, within 1 ulp. Source: fdlibm, e_log.c (Sun Microsystems).
inline double log_of(double x) {
  const auto bits = __builtin_bit_cast(uint64_t, x);
  // The significand lies in [sqrt(1/2), sqrt(2)).
  const auto shifted = bits + (0x3ff0'0000'0000'0000ULL - 0x3fe6'a09e'667f'3bcdULL);
  const auto exponent = static_cast<double>(static_cast<int64_t>(shifted >> 52U) - 1023);
  const auto significand = __builtin_bit_cast(double, (shifted & 0x000f'ffff'ffff'ffffULL) + 0x3fe6'a09e'667f'3bcdULL);
  const double f = significand - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  const double w = z * z;
  const double odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double even =
      z
      * (6.666666666666735130e-01
         + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double half = 0.5 * f * f;
  return exponent * 6.93147180369123816490e-01
         - ((half - (s * (half + (odd + even)) + exponent * 1.90821492927058770002e-10)) - f);
}

// Returns the standard normal variate that random bits stand for, by the inverse of the distribution function: every
// number of bits gives one variate. Source: Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), PPND16.
inline double normal_of(uint64_t bits) {
  const double p = (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
  const double q = p - 0.5;
  if (__builtin_fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    const double above =
        ((((((2.5090809287301226727e+3 * r + 3.3430575583588128105e+4) * r + 6.7265770927008700853e+4) * r
            + 4.5921953931549871457e+4)
               * r
           + 1.3731693765509461125e+4)
              * r
          + 1.9715909503065514427e+3)
             * r
         + 1.3314166789178437745e+2)
            * r
        + 3.3871328727963666080e+0;
    const double below =
        ((((((5.2264952788528545610e+3 * r + 2.8729085735721942674e+4) * r + 3.9307895800092710610e+4) * r
            + 2.1213794301586595867e+4)
               * r
           + 5.3941960214247511077e+3)
              * r
          + 6.8718700749205790830e+2)
             * r
         + 4.2313330701600911252e+1)
            * r
        + 1.0;
    return above * q / below;
  }
  double r = root_of(-log_of(q < 0.0 ? p : 1.0 - p));
  double above = 0.0;
  double below = 0.0;
  if (r <= 5.0) {
    r -= 1.6;
    above = ((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r
                + 1.27045825245236838258e+0)
                   * r
               + 3.64784832476320460504e+0)
                  * r
              + 5.76949722146069140550e+0)
                 * r
             + 4.63033784615654529590e+0)
                * r
            + 1.42343711074968357734e+0;
    below = ((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r
                + 1.48103976427480074590e-1)
                   * r
               + 6.89767334985100004550e-1)
                  * r
              + 1.67638483018380384940e+0)
                 * r
             + 2.05319162663775882187e+0)
                * r
            + 1.0;
  } else {
    r -= 5.0;
    above = ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r
                + 2.65321895265761230930e-2)
                   * r
               + 2.96560571828504891230e-1)
                  * r
              + 1.78482653991729133580e+0)
                 * r
             + 5.46378491116411436990e+0)
                * r
            + 6.65790464350110377720e+0;
    below = ((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r
                + 7.86869131145613259100e-4)
                   * r
               + 1.48753612908506148525e-2)
                  * r
              + 1.36929880922735805310e-1)
                 * r
             + 5.99832206555887937690e-1)
                * r
            + 1.0;
  }
  const double z = above / below;
  return q < 0.0 ? -z : z;
}

// Returns a number in [low, low + range), by the high half of a product; `range` 0 stands for 2^64.
inline int64_t integer_of(uint64_t bits, int64_t low, uint64_t range) {
  if (range == 0)
    return static_cast<int64_t>(bits);
  // In halves, for the device's compiler has no library for products of 128 bits.
  const uint64_t low_product = (bits & 0xffff'ffffULL) * (range & 0xffff'ffffULL);
  const uint64_t cross = (bits >> 32U) * (range & 0xffff'ffffULL) + (low_product >> 32U);
  const uint64_t other = (bits & 0xffff'ffffULL) * (range >> 32U) + (cross & 0xffff'ffffULL);
  const uint64_t high = (bits >> 32U) * (range >> 32U) + (cross >> 32U) + (other >> 32U);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + high);
}

// Rounds to a type of 16 bits with so many bits of mantissa, to the nearest value, ties to even.
inline uint16_t narrowed(double x, unsigned mantissa_bits) {
  const auto bits = __builtin_bit_cast(uint64_t, x);
  const auto sign = static_cast<uint16_t>((bits >> 48U) & 0x8000U);
  const auto largest_exponent = (uint64_t{1} << (15U - mantissa_bits)) - 1; // 31 or 255
  const auto infinity = static_cast<uint16_t>(largest_exponent << mantissa_bits);
  const auto magnitude = bits & 0x7fff'ffff'ffff'ffffULL;
  if (magnitude > 0x7ff0'0000'0000'0000ULL)
    return static_cast<uint16_t>(sign | infinity | (1U << (mantissa_bits - 1)));
  const uint64_t bias = largest_exponent >> 1U;
  const uint64_t exponent = magnitude >> 52U;
  uint64_t out = 0;
  if (exponent + bias <= 1023) { // a denormal: a multiple of the smallest one, at the end of a number of 53 bits
    const auto scale = __builtin_bit_cast(double, (1023 + bias - 1 + mantissa_bits) << 52U);
    const double steps = __builtin_bit_cast(double, magnitude) * scale;
    out = __builtin_bit_cast(uint64_t, steps + 0x1.0p52) & 0xffffU;
  } else {
    const unsigned dropped = 52 - mantissa_bits;
    const uint64_t even = (magnitude >> dropped) & 1U;
    const uint64_t rounded = (magnitude + (uint64_t{1} << (dropped - 1)) - 1 + even) >> dropped;
    out = rounded - ((1023 - bias) << mantissa_bits);
  }
  return static_cast<uint16_t>(sign | (out < infinity ? out : infinity));
}

} // namespace kevolve::cuda
