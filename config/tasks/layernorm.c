#include <math.h>
#include <stdint.h>

/* Each row to mean 0 and variance 1, then scaled and shifted. */
void layernorm(const float *x, const float *weight, const float *bias, float *y, int64_t rows, int64_t cols,
               float eps) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      sum += x[r * cols + c];
    float mean = sum / (float)cols;
    float squares = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      float d = x[r * cols + c] - mean;
      squares += d * d;
    }
    float scale = 1.0f / sqrtf(squares / (float)cols + eps);
    for (int64_t c = 0; c < cols; ++c)
      y[r * cols + c] = (x[r * cols + c] - mean) * scale * weight[c] + bias[c];
  }
}
