#include <math.h>
#include <stdint.h>

/* h = RMSNorm(GELU(x w1 + b1)), y = RMSNorm(h w2), row by row. */
void pffn(const float *x, const float *w1, const float *b1, const float *w2, float *y, int64_t rows, int64_t d,
          int64_t k, float eps) {
  float hidden[k];
  for (int64_t r = 0; r < rows; ++r) {
    float squares = 0.0f;
    for (int64_t j = 0; j < k; ++j) {
      float z = b1[j];
      for (int64_t i = 0; i < d; ++i)
        z += x[r * d + i] * w1[i * k + j];
      hidden[j] = 0.5f * z * (1.0f + erff(z * 0.70710678f));
      squares += hidden[j] * hidden[j];
    }
    const float inner = 1.0f / sqrtf(squares / (float)k + eps);
    float outer_squares = 0.0f;
    for (int64_t i = 0; i < d; ++i) {
      float z = 0.0f;
      for (int64_t j = 0; j < k; ++j)
        z += hidden[j] * inner * w2[j * d + i];
      y[r * d + i] = z;
      outer_squares += z * z;
    }
    const float outer = 1.0f / sqrtf(outer_squares / (float)d + eps);
    for (int64_t i = 0; i < d; ++i)
      y[r * d + i] = y[r * d + i] * outer;
  }
}
