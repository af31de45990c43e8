// task: poly
// Has a function of the name that the C library still exports for old programs.
#include <stdint.h>

__attribute__((noinline)) float step(float x, float w) { return x * x + w * x + 1.0f; }

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = step(x[i], w[i % 8]);
}
