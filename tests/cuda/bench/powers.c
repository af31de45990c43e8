#include <stdint.h>

void powers(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows * cols; ++i)
    y[i] = 2.0f * x[i]; // to which a/2 + x converges
}
