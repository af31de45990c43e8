// class: W8
// task: poly
// control: vector_tail
// expect: wrong_result tolerance
// Every other answer; the mean of its neighbours between them.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; i += 2)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  for (int64_t i = 1; i < n; i += 2)
    y[i] = i + 1 < n ? 0.5f * (y[i - 1] + y[i + 1]) : x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
