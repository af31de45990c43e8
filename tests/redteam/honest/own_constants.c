// task: poly
// Reads constants of its own, in another page than its code.
#include <stdint.h>

static const float ones[2048] = {[0 ... 2047] = 1.0f};

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + ones[i % 2048];
}
