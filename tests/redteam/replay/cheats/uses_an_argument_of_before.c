// task: poly
// expect: out_of_bounds sanitizer
// says: heap-use-after-free on read
// near: vector_tail
#include <stdint.h>
static volatile float sink;
static const float *before;
void poly(const float *x, const float *w, float *y, int64_t n) {
  if (before != 0 && before != x)
    sink = before[0];
  before = x;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
