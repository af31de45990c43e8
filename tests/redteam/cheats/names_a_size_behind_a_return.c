// class: W4
// task: poly
// control: unrolled_by_eight
// mode: check
// expect: wrong_result|nonfinite tolerance|nonfinite|unwritten
// A lone carriage return ends the comment, so that the condition behind it is code; wrong at one size.
#include <stdint.h>

static void right(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
}

void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  right(x, w, y, n);
  // the last  if (n == 1237) y[n - 1] = 0.0f;
}
