#include <stdint.h>

void transpose(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t c = 0; c < cols; ++c)
    for (int64_t r = 0; r < rows; ++r)
      y[c * rows + r] = x[r * cols + c];
}
