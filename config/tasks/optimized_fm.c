#include <stdint.h>

/* out = x (xT y) of each batch, in the order that the operator was published with. */
void optimized_fm(const float *x, const float *y, float *out, int64_t batch, int64_t n, int64_t d, int64_t k) {
  float inner[d * k];
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < d; ++i)
      for (int64_t j = 0; j < k; ++j) {
        float sum = 0.0f;
        for (int64_t m = 0; m < n; ++m)
          sum += x[(b * n + m) * d + i] * y[(b * n + m) * k + j];
        inner[i * k + j] = sum;
      }
    for (int64_t m = 0; m < n; ++m)
      for (int64_t j = 0; j < k; ++j) {
        float sum = 0.0f;
        for (int64_t i = 0; i < d; ++i)
          sum += x[(b * n + m) * d + i] * inner[i * k + j];
        out[(b * n + m) * k + j] = sum;
      }
  }
}
