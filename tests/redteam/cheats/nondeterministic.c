// class: W9
// task: poly
// control: counts_its_calls
// expect: nondeterministic rerun
// Within the tolerance, but not the same twice.
#include <stdint.h>

static int calls;

void poly(const float *x, const float *w, float *y, int64_t n) {
  float noise = 1e-6f * (float)(++calls % 7);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f + noise;
}
