// task: layernorm
// Sums in eight parts, as vector code does.
#include <math.h>
#include <stdint.h>

static float total(const float *x, int64_t n, float about, int squared) {
  float part[8] = {0.0f};
  for (int64_t i = 0; i < n; ++i) {
    float d = x[i] - about;
    part[i % 8] += squared ? d * d : d;
  }
  float out = 0.0f;
  for (int i = 0; i < 8; ++i)
    out += part[i];
  return out;
}

void layernorm(const float *x, const float *weight, const float *bias, float *y, int64_t rows, int64_t cols,
               float eps) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float mean = total(x, cols, 0.0f, 0) / (float)cols;
    float scale = 1.0f / sqrtf(total(x, cols, mean, 1) / (float)cols + eps);
    for (int64_t c = 0; c < cols; ++c)
      y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
  }
}
