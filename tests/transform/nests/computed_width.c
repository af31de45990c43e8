// argument: x input f32 rows*(cols+2)
// argument: y output f32 rows*cols
// argument: z output f32 rows*cols zero
// argument: rows size
// argument: cols size
// sizes: rows=3 cols=37
// sizes: rows=1 cols=1
// sizes: rows=5 cols=16
// independent: L0 L1 L2
// carried: L3
// applies: jam(L0,2)
// applies: vectorise(L1,16); mask(L1); jam(L0,4)
// declines: jam(L3,2): iterations may meet in z
#include <stdint.h>
/* Whoever stores in a row has seen that the row is not empty, whatever its length was computed from. */
void computed_width(const float *x, float *y, float *z, int64_t rows, int64_t cols) {
  const int64_t width = cols + 3 - 2 - 1;
  const int64_t shift = cols - 7;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < width; ++c)
      y[r * width + c] = x[r * (cols + 2) + c] + x[r * (cols + 2) + c + 2];
  for (int64_t c = 0; c < cols; ++c)
    z[c] += y[c];
  for (int64_t r = 0; r < rows; ++r)
    if (shift > 0)
      z[(r * shift) % cols] += y[r];
}
