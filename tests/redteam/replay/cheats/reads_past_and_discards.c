// task: poly
// expect: out_of_bounds sanitizer
// says: heap-buffer-overflow on read of 4 bytes at candidate.c:9, 0 bytes after the input 'x'
// near: vector_tail
// The value is thrown away, so that no output shows it.
#include <stdint.h>
static volatile float sink;
void poly(const float *x, const float *w, float *y, int64_t n) {
  sink = x[n];
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
