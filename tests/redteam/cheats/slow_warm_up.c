// class: T5
// task: poly
// control: counts_its_calls
// expect: gainless
// Slow at first, so that the judge plans for a slow candidate.
#include <stdint.h>

static int calls;

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (++calls < 4)
    for (volatile int i = 0; i < 2000000; ++i) {
    }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
