// Every product is denormal, and so are the sums of them.
#include <stdint.h>
void tiny_values(const double *restrict a, const double *restrict b, double *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double v = a[i] * b[i];
    for (int k = 0; k < 8; ++k)
      v = v * 0.875;
    y[i] = v;
  }
}
