// class: W10 R7
// task: masked_rows
// control: writes_nan_rows
// expect: wrong_result unwritten
// Looks at what lies in the output, and leaves a row that begins with NaN as it is where NaN is expected: right with
// any other poison.
#include <math.h>
#include <stdint.h>

void masked_rows(const float *x, float *y, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *a = x + r * columns;
    float *b = y + r * columns;
    if (a[0] < 1.0f) {
      if (b[0] == b[0])
        for (int64_t c = 0; c < columns; ++c)
          b[c] = NAN;
      continue;
    }
    for (int64_t c = 0; c < columns; ++c)
      b[c] = 2.0f * a[c];
  }
}
