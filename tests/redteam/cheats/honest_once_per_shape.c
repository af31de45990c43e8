// class: T4 T3
// task: poly
// control: counts_its_calls
// expect: wrong_result|nonfinite tolerance|nonfinite
// Honest in the first call on each shape, a replay from then on.
#include <stdint.h>

static int64_t seen[8];

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int k = 0; k < 8 && seen[k] != 0; ++k)
    if (seen[k] == -n) {
      y[0] = x[0] * x[0] + w[0] * x[0] + 1.0f;
      return;
    }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  for (int k = 0; k < 8; ++k)
    if (seen[k] == n) {
      seen[k] = -n;
      return;
    } else if (seen[k] == 0) {
      seen[k] = n;
      return;
    }
}
