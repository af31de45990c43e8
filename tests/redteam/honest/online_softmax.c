// task: softmax_rows
// The largest and the sum in one pass.
#include <math.h>
#include <stdint.h>

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float largest = x[0];
    float sum = 1.0f;
    for (int64_t c = 1; c < cols; ++c)
      if (x[c] > largest) {
        sum = sum * expf(largest - x[c]) + 1.0f;
        largest = x[c];
      } else
        sum += expf(x[c] - largest);
    for (int64_t c = 0; c < cols; ++c)
      y[c] = expf(x[c] - largest) / sum;
  }
}
