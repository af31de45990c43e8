// task: poly
#include <stdint.h>

void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k)
      y[i + k] = x[i + k] * (x[i + k] + w[k]) + 1.0f;
  for (; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
}
