#include <stdint.h>

/* "A first pass, then one that combines": eight partial rows, so that neighbours never meet in an element. */
void bins(const float *x, const float *w, float *sum, int64_t n) {
  float part[8][256] = {{0.0f}};
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int64_t l = 0; l < 8; ++l) {
      int64_t b = (int64_t)(x[i + l] * 256.0f);
      b = b < 0 ? 0 : b > 255 ? 255 : b;
      part[l][b] += w[i + l];
    }
  for (; i < n; ++i) {
    int64_t b = (int64_t)(x[i] * 256.0f);
    b = b < 0 ? 0 : b > 255 ? 255 : b;
    part[0][b] += w[i];
  }
  for (int64_t b = 0; b < 256; ++b) {
    float s = 0.0f;
    for (int64_t l = 0; l < 8; ++l)
      s += part[l][b];
    sum[b] = s;
  }
}
