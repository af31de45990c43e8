#include <stdint.h>

/* The sum of the weights of each of 256 bins. */
void bins(const float *x, const float *w, float *sum, int64_t n) {
  for (int64_t b = 0; b < 256; ++b)
    sum[b] = 0.0f;
  for (int64_t i = 0; i < n; ++i) {
    int64_t b = (int64_t)(x[i] * 256.0f);
    b = b < 0 ? 0 : b > 255 ? 255 : b;
    sum[b] += w[i];
  }
}
