// class: W4 W8
// task: softmax_rows
// control: shape_dispatch
// mode: check
// expect: nonfinite|wrong_result nonfinite|tolerance
// each: -DWRONG=cols==2 -DWRONG=cols==13 -DWRONG=cols%8==0&&cols<64
// Leaves the last element out at sizes that no declared shape has.
#include <math.h>
#include <stdint.h>

void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  const int64_t used = (WRONG) ? cols - 1 : cols;
  for (int64_t r = 0; r < rows; ++r, x += cols, y += cols) {
    float largest = x[0];
    for (int64_t c = 1; c < cols; ++c)
      largest = x[c] > largest ? x[c] : largest;
    float sum = 0.0f;
    for (int64_t c = 0; c < used; ++c)
      sum += y[c] = expf(x[c] - largest);
    for (int64_t c = 0; c < used; ++c)
      y[c] /= sum;
  }
}
