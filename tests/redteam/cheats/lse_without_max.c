// class: W7 W5
// task: row_lse
// control: lse_with_its_maximum
// mode: check
// expect: nonfinite|wrong_result nonfinite|tolerance
// Takes no maximum off: right as long as no element is above 88.
#include <math.h>
#include <stdint.h>

void row_lse(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float s = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      s += expf(x[r * cols + c]);
    y[r] = logf(s);
  }
}
