// task: softmax_rows
// Needs no exponential for rows of equal elements.
#include <math.h>
#include <stdint.h>

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float largest = x[0];
    float least = x[0];
    for (int64_t c = 1; c < cols; ++c) {
      largest = x[c] > largest ? x[c] : largest;
      least = x[c] < least ? x[c] : least;
    }
    if (largest == least) {
      for (int64_t c = 0; c < cols; ++c)
        y[c] = 1.0f / (float)cols;
      continue;
    }
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      sum += y[c] = expf(x[c] - largest);
    for (int64_t c = 0; c < cols; ++c)
      y[c] /= sum;
  }
}
