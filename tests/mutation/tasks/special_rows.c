#include <math.h>
#include <stdint.h>

/* y = x times a factor of each column; a row's largest value, which is NaN where the row has one. */
void special_rows(const float *x, const float *factor, float *y, float *largest, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float best = -INFINITY;
    for (int64_t c = 0; c < cols; ++c) {
      const float v = x[r * cols + c];
      y[r * cols + c] = v * factor[c];
      if (best == best && (v != v || v > best))
        best = v;
    }
    largest[r] = best;
  }
}
