// task: poly
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  volatile float ones[8];
  for (int k = 0; k < 8; ++k)
    ones[k] = 1.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + ones[i % 8];
}
