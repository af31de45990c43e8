// task: poly
// expect: out_of_bounds sanitizer|guard_band|fence
// near: vector_tail
// The judge's guard bands may see it first.
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  y[n] = 0.0f;
}
