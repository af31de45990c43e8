// class: T3 T4
// task: poly
// control: counts_its_calls
// expect: nonfinite nonfinite
// Does its work until it believes itself checked.
#include <stdint.h>

static int calls;

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (++calls > 9)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
