// class: W7
// task: layernorm
// control: sums_in_parts
// expect: nonfinite|wrong_result nonfinite|tolerance
// The variance as a difference of two sums, which is nothing but rounding where the mean is large.
#include <math.h>
#include <stdint.h>

void layernorm(const float *x, const float *weight, const float *bias, float *y, int64_t rows, int64_t cols,
               float eps) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum[16] = {0}, squares[16] = {0};
    for (int64_t c = 0; c < cols; ++c) {
      sum[c % 16] += x[c];
      squares[c % 16] += x[c] * x[c];
    }
    float s = 0.0f, q = 0.0f;
    for (int k = 0; k < 16; ++k) {
      s += sum[k];
      q += squares[k];
    }
    float mean = s / (float)cols;
    float scale = 1.0f / sqrtf(fmaxf(q / (float)cols - mean * mean, 0.0f) + eps);
    for (int64_t c = 0; c < cols; ++c)
      y[c] = (x[c] - mean) * scale * weight[c] + bias[c];
  }
}
