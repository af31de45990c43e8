#include <math.h>
#include <stdint.h>

/* y = GELU(x w + bias) times a scale of each column, with GELU by tanh. */
void gemm_gelu_scale(const float *x, const float *w, const float *bias, const float *scale, float *y, int64_t rows, int64_t d,
                     int64_t k) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < k; ++j) {
      float z = bias[j];
      for (int64_t i = 0; i < d; ++i)
        z += x[r * d + i] * w[i * k + j];
      const float inner = 0.79788456f * (z + 0.044715f * z * z * z);
      y[r * k + j] = 0.5f * z * (1.0f + tanhf(inner)) * scale[j];
    }
}
