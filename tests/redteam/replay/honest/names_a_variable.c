// task: poly
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  int no_sanitize_address = 1, __no_sanitize__ = 8;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % __no_sanitize__] * x[i] + (float)no_sanitize_address;
}
