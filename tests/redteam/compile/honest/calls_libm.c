// about: the library of mathematics is always there
// flags: O3 gcc-O3-vec512
#include <math.h>
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = powf(x[i], 2.0f) + w[i % 8] * x[i] + 1.0f;
}
