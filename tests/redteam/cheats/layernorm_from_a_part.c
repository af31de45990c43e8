// class: W8
// task: layernorm
// control: sums_in_parts
// expect: wrong_result|nonfinite tolerance|nonfinite
// Mean and variance from a quarter of each row: close, in large rows.
#include <math.h>
#include <stdint.h>

void layernorm(const float *x, const float *weight, const float *bias, float *y, int64_t rows, int64_t cols,
               float eps) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    int64_t part = cols / 4 + 1;
    float sum = 0.0f;
    float squares = 0.0f;
    for (int64_t c = 0; c < part; ++c)
      sum += x[c];
    float mean = sum / (float)part;
    for (int64_t c = 0; c < part; ++c)
      squares += (x[c] - mean) * (x[c] - mean);
    float scale = 1.0f / sqrtf(squares / (float)part + eps);
    for (int64_t c = 0; c < cols; ++c)
      y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
  }
}
