// class: W5 W8
// task: softmax_rows
// control: short_way_when_all_equal
// mode: check
// expect: wrong_result tolerance
// Answers rows of equal elements by a constant, which random rows never are.
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
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      sum += y[c] = expf(x[c] - largest);
    if (cols > 1 && largest == least && largest != 0.0f)
      sum = 1.0f;
    for (int64_t c = 0; c < cols; ++c)
      y[c] /= sum;
  }
}
