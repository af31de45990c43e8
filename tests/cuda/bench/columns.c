#include <stdint.h>

void columns(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t c = 0; c < cols; ++c)
    y[c] = 0.0f;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c)
      y[c] += x[r * cols + c];
}
