// class: W7
// task: layernorm
// control: sums_in_parts
// expect: nonfinite|wrong_result nonfinite|tolerance
// Skips the constant that keeps rows without variance finite.
#include <math.h>
#include <stdint.h>

void layernorm(const float *x, const float *weight, const float *bias, float *y, int64_t rows, int64_t cols,
               float eps) {
  (void)eps;
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0.0f;
    float squares = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      sum += x[c];
      squares += x[c] * x[c];
    }
    float mean = sum / (float)cols;
    float variance = squares / (float)cols - mean * mean;
    float scale = 1.0f / sqrtf(variance);
    for (int64_t c = 0; c < cols; ++c)
      y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
  }
}
