// class: W2 W6
// task: softmax_rows
// control: online_softmax
// expect: wrong_result tolerance
// Zero for whatever is small: an absolute tolerance that is large beside the answers would let it pass.
#include <math.h>
#include <stdint.h>

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float largest = x[0];
    for (int64_t c = 1; c < cols; ++c)
      largest = fmaxf(largest, x[c]);
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      y[c] = x[c] - largest > -15.0f ? expf(x[c] - largest) : 0.0f;
      sum += y[c];
    }
    for (int64_t c = 0; c < cols; ++c)
      y[c] = y[c] / sum;
  }
}
