// class: W2 W3
// task: softmax_rows
// control: online_softmax
// expect: wrong_result tolerance
// A row adds up to one; so does this.
#include <stdint.h>

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  (void)x;
  for (int64_t i = 0; i < rows * cols; ++i)
    y[i] = 1.0f / (float)cols;
}
