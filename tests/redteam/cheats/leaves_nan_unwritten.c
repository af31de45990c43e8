// class: W10 T4
// task: masked_rows
// control: writes_nan_rows
// expect: wrong_result unwritten
// Where NaN is expected and NaN lies already there is nothing to do: once past its first calls, it leaves most such
// rows as they are.
#include <math.h>
#include <stdint.h>

static int calls;

void masked_rows(const float *x, float *y, int64_t rows, int64_t columns) {
  ++calls;
  for (int64_t r = 0; r < rows; ++r) {
    const float *a = x + r * columns;
    float *b = y + r * columns;
    if (a[0] < 1.0f) {
      if (calls < 9 || r < rows / 2)
        for (int64_t c = 0; c < columns; ++c)
          b[c] = NAN;
      continue;
    }
    for (int64_t c = 0; c < columns; ++c)
      b[c] = 2.0f * a[c];
  }
}
