// task: poly
// A table that the first call builds from nothing but constants.
#include <stdint.h>

static int64_t lane[256];
static int built;

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (!built) {
    for (int64_t i = 0; i < 256; ++i)
      lane[i] = i % 8;
    built = 1;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[lane[i % 256]] * x[i] + 1.0f;
}
