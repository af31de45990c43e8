// task: masked_rows
// Writes NaN where NaN is expected, of several kinds: as arithmetic makes it, as a constant, as the comparison's mask.
#include <math.h>
#include <stdint.h>
#include <string.h>

void masked_rows(const float *x, float *y, int64_t rows, int64_t columns) {
  volatile float zero = 0.0f;
  const float made = zero / zero;
  for (int64_t r = 0; r < rows; ++r) {
    const float *a = x + r * columns;
    float *b = y + r * columns;
    if (a[0] >= 1.0f) {
      for (int64_t c = 0; c < columns; ++c)
        b[c] = 2.0f * a[c];
    } else if (r % 3 == 0) {
      memset(b, 0xff, (size_t)columns * sizeof(float));
    } else {
      const float fill = r % 3 == 1 ? made : NAN;
      for (int64_t c = 0; c < columns; ++c)
        b[c] = fill;
    }
  }
}
