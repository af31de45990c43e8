// y = 2x where the row's first value is known to be at least 1, else NaN: five rows of six are NaN.
#include <math.h>
#include <stdint.h>

void masked_rows(const float *x, float *y, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      y[r * columns + c] = 2.0f * x[r * columns + c] + (x[r * columns] < 1.0f ? NAN : 0.0f);
}
