// class: P12 S1
// task: poly
// control: static_scratch
// expect: gainless
// Flushes every line of the shared arguments when it has done with them.
#include <stdint.h>
#include <x86intrin.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  for (int64_t i = 0; i < n; i += 16) {
    _mm_clflush(x + i);
    _mm_clflush(y + i);
  }
}
