// argument: x input f32 n
// argument: k input i32 n
// argument: y output f32 n*10
// argument: z output i32 n*3
// argument: n size
// sizes: n=37
// sizes: n=1
// sizes: n=0
// independent: L0
// applies: vectorise(L0,8)
// applies: jam(L0,2)
// applies: tile(L0,8); unroll(L0,3)
// applies: vectorise(L1,8)
// applies: vectorise(L2,8)
// What an own function computes is seen through its call: arguments that are converted, used twice or not at all,
// variables, ends in the middle, bits taken as another type, and calls in calls.
#include <math.h>
#include <stdint.h>
#include <string.h>
static inline float squared(float v) { return v * v; }
static inline float widened(uint16_t bits) {
  const uint32_t whole = (uint32_t)bits << 16;
  float v;
  memcpy(&v, &whole, sizeof v);
  return v;
}
static float leaky(float v, float slope) {
  if (v > 0.0f)
    return v;
  return slope * v;
}
static float clamped(float v, float low, float high) {
  if (v < low)
    v = low;
  else if (v > high)
    v = high;
  return v;
}
static float three_ways(float v) {
  if (v > 1.0f) {
    const float over = v - 1.0f;
    return 1.0f + over * over;
  } else if (v < -1.0f)
    return -1.0f;
  v *= 0.5f;
  v += 0.25f;
  return v;
}
static int8_t narrowed(int32_t v) { return (int8_t)v; }
static int32_t through_a_byte(uint8_t v) { return v * 3; }
static uint32_t ordered(float v) {
  uint32_t word;
  memcpy(&word, &v, 4);
  return word ^ ((word >> 31) != 0 ? 0xffffffffU : 0x80000000U);
}
static double halves(double v, float unused) { return v * 0.5; }
static float of_both(float a, float b) { return squared(a - b) + leaky(a, squared(b)); }
static int64_t place(int64_t row, int64_t of, int64_t n) { return row * n + of; }
static float larger(float a, float b) { return a > b ? a : b; }
void calls_inlined(const float *x, const int32_t *k, float *y, int32_t *z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    y[place(0, i, n)] = squared(x[i] + 1.0f);
    y[place(1, i, n)] = widened((uint16_t)k[i]) * 1e-30f;
    y[place(2, i, n)] = leaky(x[i], 0.1f) + leaky(-x[i], 0.2f);
    y[place(3, i, n)] = clamped(x[i] * 4.0f, -0.5f, 0.5f);
    y[place(4, i, n)] = three_ways(x[i] * 3.0f);
    y[place(5, i, n)] = (float)halves(x[i], 7.0f);
    y[place(6, i, n)] = of_both(x[i], 0.5f);
    y[place(7, i, n)] = (float)(ordered(x[i]) >> 8);
    y[place(8, i, n)] = x[i] > 0.0f ? squared(x[i] * 2.0f) : leaky(x[i] - 1.0f, 0.5f);
    y[place(9, i, n)] = 0.0f;
    z[i] = narrowed(k[i] * 100);
    z[n + i] = through_a_byte(k[i] * 100);
    z[place(2, i, n)] = narrowed(through_a_byte((uint8_t)k[i]));
  }
  float top = -1e30f;
  for (int64_t i = 0; i < n; ++i)
    top = larger(top, x[i]);
  float sum = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    sum += squared(x[i] - top);
  for (int64_t i = 0; i < n; ++i)
    y[place(9, i, n)] = top + sum;
}
