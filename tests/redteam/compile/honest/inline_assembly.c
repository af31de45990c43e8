// about: assembly inside the kernel
// flags: O3 gcc-O3-vec512
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  __asm__ volatile(".balign 16\n\tnop");
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
