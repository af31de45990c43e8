// task: softmax_rows
// flags: -O3 -ffast-math
// Looser arithmetic than the reference's, vectorised, with denormals flushed: within what the task allows.
#include <math.h>
#include <stdint.h>

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float largest = x[0];
    for (int64_t c = 1; c < cols; ++c)
      largest = x[c] > largest ? x[c] : largest;
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      sum += y[c] = expf(x[c] - largest);
    float scale = 1.0f / sum;
    for (int64_t c = 0; c < cols; ++c)
      y[c] *= scale;
  }
}
