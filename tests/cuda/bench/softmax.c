#include <math.h>
#include <stdint.h>

void softmax(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float largest = x[r * cols];
    for (int64_t c = 1; c < cols; ++c)
      largest = x[r * cols + c] > largest ? x[r * cols + c] : largest;
    double sum = 0.0;
    for (int64_t c = 0; c < cols; ++c) {
      y[r * cols + c] = expf(x[r * cols + c] - largest);
      sum += y[r * cols + c];
    }
    for (int64_t c = 0; c < cols; ++c)
      y[r * cols + c] = (float)(y[r * cols + c] / sum);
  }
}
