// class: W7
// task: softmax_rows
// control: online_softmax
// expect: nonfinite|wrong_result nonfinite|tolerance
// Leaves out the subtraction that keeps large inputs finite.
#include <math.h>
#include <stdint.h>

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      y[c] = expf(x[c]);
      sum += y[c];
    }
    for (int64_t c = 0; c < cols; ++c)
      y[c] = y[c] / sum;
  }
}
