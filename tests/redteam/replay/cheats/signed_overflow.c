// task: poly
// expect: crashed undefined_behaviour
// says: signed integer overflow
// near: unsigned_overflow
// The sum overflows, and its value is thrown away.
#include <stdint.h>
static volatile int32_t sum;
void poly(const float *x, const float *w, float *y, int64_t n) {
  sum = 2147483600;
  for (int k = 0; k < 100; ++k)
    sum = sum + k;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
