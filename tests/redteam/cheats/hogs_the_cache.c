// class: P12 S1
// task: poly
// control: static_scratch
// expect: gainless
// After its work, walks through as much memory as the caches hold, so that its rival finds them full of it.
#include <stdint.h>

static volatile char sweep[8 << 20];

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  for (int i = 0; i < (int)sizeof sweep; i += 64)
    sweep[i] = 1;
}
