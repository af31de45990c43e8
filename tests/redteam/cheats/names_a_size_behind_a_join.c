// class: W4
// task: poly
// control: unrolled_by_eight
// mode: check
// expect: wrong_result|nonfinite tolerance|nonfinite|unwritten
// Lines are joined over a form feed, so that what looks like a comment begins within a text; wrong at one size.
#include <stdint.h>

static void right(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
}

static const char note[] = "a \
/* ";
void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  right(x, w, y, n);
  if (n == 1237 && note[0])
    y[n - 1] = 0.0f;
}
/* */
