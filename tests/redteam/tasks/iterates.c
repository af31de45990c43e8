// The sum of the iterates of p <- h p + c, over the 64 starts of each row.
#include <stdint.h>

void iterates(const float *x, const float *h, const float *c, float *y, int64_t n, int64_t steps) {
  for (int64_t r = 0; r < n; ++r) {
    float p[64], s[64], sum = 0.0f;
    for (int i = 0; i < 64; ++i) {
      p[i] = x[r * 64 + i];
      s[i] = 0.0f;
    }
    for (int64_t k = 0; k < steps; ++k)
      for (int i = 0; i < 64; ++i) {
        p[i] = p[i] * h[0] + c[0];
        s[i] += p[i];
      }
    for (int i = 0; i < 64; ++i)
      sum += s[i];
    y[r] = sum;
  }
}
