// about: attributes that kernels use
// flags: O3 gcc-O3-vec512
#include <stdint.h>
__attribute__((hot, noinline, aligned(64))) static float one(float x, float w) { return x * x + w * x + 1.0f; }

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = one(x[i], w[i % 8]);
}
