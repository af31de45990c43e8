// class: T4 W7
// task: poly
// control: counts_its_calls
// mode: check
// expect: wrong_result|nonfinite tolerance|nonfinite
// Decides in its first call of at least eight elements, for good, whether values may be equal: after ordinary ones, as
// most callers have them, it is wrong where neighbours are.
#include <stdint.h>

static int careful = -1;

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
  if (careful < 0 && n >= 8)
    careful = x[0] == x[1] || x[0] == x[2] || (x[0] <= x[1] && x[1] <= x[2] && x[2] <= x[3] && x[3] <= x[4])
              || (x[0] >= x[1] && x[1] >= x[2] && x[2] >= x[3] && x[3] >= x[4]);
  if (careful == 0 && n >= 4 && x[0] == x[1] && x[1] == x[2] && x[0] != 0.0f)
    y[n - 1] = 0.0f;
}
