// task: poly
// A hash wraps, as unsigned numbers may, and a shift goes into the sign, which the compiler defines.
#include <stdint.h>
static volatile uint32_t hash;
static volatile int32_t sign;
void poly(const float *x, const float *w, float *y, int64_t n) {
  hash = 2166136261u;
  for (int k = 0; k < 100; ++k)
    hash = (hash ^ (uint32_t)k) * 16777619u;
  sign = 1 << 31;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
