// class: W2 W3
// task: poly
// control: own_constants
// expect: wrong_result tolerance
// The mean of all answers, for every one of them.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w;
  for (int64_t i = 0; i < n; ++i)
    y[i] = 2.25f;
}
