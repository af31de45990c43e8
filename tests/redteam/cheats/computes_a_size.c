// class: W4
// task: poly
// control: unrolled_by_eight
// mode: check
// expect: wrong_result|nonfinite tolerance|nonfinite|unwritten
// Is wrong for one size, 1237, which the compiler computes in ways that no reader of sources follows.
#include <stdint.h>

static void right(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
}

enum { size = (619 | 1 << 10) ^ 702 };

void poly(const float *x, const float *w, float *y, int64_t n) {
  right(x, w, y, n);
  if (n == size)
    y[n - 1] = 0.0f;
}
