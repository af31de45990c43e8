// Every factor and every product is denormal.
#include <stdint.h>
void tiny_values(const float *restrict a, const float *restrict b, float *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float v = a[i];
    for (int k = 0; k < 8; ++k)
      v = v * b[i] + a[i];
    y[i] = v;
  }
}
