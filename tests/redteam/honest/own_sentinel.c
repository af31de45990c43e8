// task: poly
// Writes a sentinel behind a copy of its own.
#include <stdint.h>

void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  float copy[9];
  for (int k = 0; k < 8; ++k)
    copy[k] = w[k];
  ((volatile float *)copy)[8] = 7.0f;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k)
      y[i + k] = x[i + k] * (x[i + k] + copy[k]) + 1.0f;
  for (; i < n; ++i)
    y[i] = x[i] * (x[i] + copy[i % 8]) + 1.0f;
}
