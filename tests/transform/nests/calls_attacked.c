// argument: x input f32 n
// argument: k input i32 n
// argument: y output f32 n*8
// argument: z output i32 n*8
// argument: n size
// sizes: n=37
// sizes: n=1
// sizes: n=0
// applies: unroll(L0,3)
// applies: jam(L0,2)
// applies: unroll(L1,2)
// applies: unroll(L4,2)
// What an attack on the reading of calls found: conversions to what a function gives back, calls in increments, effects
// that happen twice or too early, divisions under a guard, names that hide others, lengths of arrays in other words.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
typedef float t_0;
enum { sum_0 = 3 };
static float gain = 2.0f;
static int32_t calls = 0;
static uint8_t low(int32_t v) { return v; }
static bool odd(int32_t v) { return v & 1; }
static float half(int32_t v) { return v / 2; }
static int32_t cut(float v) { return v; }
static int64_t wide(int32_t v) { return v; }
static float guarded(int32_t a, int32_t b) {
  if (b == 0)
    return 0.5f;
  int32_t q = a / b;
  float f;
  memcpy(&f, &q, sizeof f);
  return f * f + f;
}
static float rooted(float v) { return sqrtf(fabsf(v)); }
static void added(const float *from, int32_t count, float *to) {
  for (int32_t j = 0; j < count; ++j)
    *to += from[j];
}
static float local_names(const float *p, int32_t count) {
  float gain = 1.0f, sum = 0.0f;
  for (int32_t j = 0; j < count; ++j)
    sum += p[j] * gain;
  return sum;
}
static float of_own_length(const float *p, int64_t c) {
  float t[c + 1];
  for (int64_t j = 0; j < c + 1; ++j)
    t[j] = p[j];
  return t[0] + t[c];
}
static int32_t next(void) { return ++calls; }
static int32_t up_to(const int32_t *limit, int32_t *out, int32_t count) {
  int32_t done = 0;
  for (int32_t j = 0; j < limit[0] && j < count; ++j) {
    out[j] += 1;
    ++done;
  }
  return done;
}
void calls_attacked(const float *x, const int32_t *k, float *y, int32_t *z, int64_t n) {
  calls = 0;
  for (int64_t i = 0; i < n; ++i) {
    z[i] = low(k[i] * 1000) * 7 + (odd(k[i] * 6 + 2) ? 1 : 0);
    z[n + i] = cut(x[i] * 10.0f) / 3;
    z[2 * n + i] = (int32_t)(wide(k[i] + 70000) * 70000 >> 16);
    y[i] = half(k[i]) / 4 + rooted(x[i]);
    y[n + i] = (float)(guarded(k[i], k[i] % 2) > 0.0f);
  }
  for (int64_t i = 0; i < n; ++i) {
    float s = 0.0f;
    for (int32_t j = 0; j < 3; added(x, 1, &s), ++j)
      s += 1.0f;
    y[2 * n + i] = s;
    y[3 * n + i] = local_names(x, (int32_t)(i % 3)) * gain + (float)sum_0;
    y[4 * n + i] = of_own_length(x, i & 7 & (n - 1 > 7 ? 7 : 0)) + (t_0)1.0f;
  }
  for (int64_t i = 0; i < n; ++i) {
    (void)next();
    z[3 * n + i] = z[4 * n + i] = next() * 10;
    z[5 * n + i] = 3;
    z[6 * n + i] = 0;
    z[7 * n + i] = up_to(z + 5 * n + i, z + 6 * n + i, 1) + calls;
    y[5 * n + i] = 0.0f;
    for (int64_t j = 0; j < (i & 7); ++j)
      y[5 * n + i] += 1.0f;
    float rooted_too = x[i], sqrtf_of = 1.0f;
    y[6 * n + i] = rooted_too * sqrtf_of;
    y[7 * n + i] = (float)calls * 100.0f + (float)next();
  }
}
