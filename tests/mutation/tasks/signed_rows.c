#include <math.h>
#include <stdint.h>

/* The sign of x with the magnitude of each column, zeros included; the angle of the point (-|factor|, x). */
void signed_rows(const float *x, const float *factor, float *y, float *angle, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      y[r * cols + c] = copysignf(factor[c], x[r * cols + c]);
      angle[r * cols + c] = atan2f(x[r * cols + c], -factor[c]);
    }
}
