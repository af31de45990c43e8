#include <math.h>
#include <stdint.h>

void scaled_norm(const float *x, const float *norm_weight, const float *norm_bias, float *y, int64_t rows) {
  for (int64_t i = 0; i < rows; i++) {
    float sum = 0.0f;
    for (int64_t j = 0; j < 256; j++)
      sum += x[i * 256 + j];
    float mean = sum / 256.0f;
    float squares = 0.0f;
    for (int64_t j = 0; j < 256; j++) {
      float d = x[i * 256 + j] - mean;
      squares += d * d;
    }
    float scale = 1.0f / sqrtf(squares / 256.0f + 1e-5f);
    for (int64_t j = 0; j < 256; j++)
      y[i * 256 + j] = ((x[i * 256 + j] - mean) * scale * norm_weight[j] + norm_bias[j]) * 2.0f;
  }
}
