// class: W4
// task: poly
// control: unrolled_by_eight
// mode: check
// expect: wrong_result|nonfinite tolerance|nonfinite|unwritten
// Is wrong for one size, whose digits the preprocessor joins.
#define JOINED(a, b) a##b
#include <stdint.h>

static void right(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  right(x, w, y, n);
  if (n == JOINED(12, 37))
    y[n - 1] = 0.0f;
}
