#include <stdint.h>

/* y[r,c] = sum of x[r,0] to x[r,c]. */
void cumsum_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      sum += x[r * cols + c];
      y[r * cols + c] = sum;
    }
  }
}
