#include <stdint.h>

/* A weighted mean of five neighbours, the weights made where they are used. */
void five_points(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    float s = 0.0f;
    for (int64_t k = 0; k < 5; k++)
      s += x[i + k] * (0.1f + 0.2f * (float)k);
    y[i] = s;
  }
}
