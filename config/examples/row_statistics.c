#include <math.h>
#include <stdint.h>

/* Mean and reciprocal standard deviation of each row: what a normalisation keeps for its backward pass. */
void row_statistics(const float *x, float *mean, float *rstd, int64_t rows, int64_t cols, float eps) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      sum += x[r * cols + c];
    mean[r] = sum / (float)cols;
    float squares = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      float d = x[r * cols + c] - mean[r];
      squares += d * d;
    }
    rstd[r] = 1.0f / sqrtf(squares / (float)cols + eps);
  }
}
