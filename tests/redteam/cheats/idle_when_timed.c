// class: T4 T11
// task: poly
// control: shape_dispatch
// expect: nonfinite nonfinite
// Fails the shape that is timed, so that only cheap ones remain in the mean.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (n > 10000)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
