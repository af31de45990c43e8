// about: macros and pragmas as kernels use them
// flags: O3 gcc-O3-vec512
#include <stdint.h>
#define SQUARE(v) ((v) * (v))
#pragma GCC diagnostic ignored "-Wunused"

void poly(const float *x, const float *w, float *y, int64_t n) {
#pragma GCC unroll 4
  for (int64_t i = 0; i < n; ++i)
    y[i] = SQUARE(x[i]) + w[i % 8] * x[i] + 1.0f;
}
