#include <math.h>
#include <stdint.h>

/* y[r] = log(sum over c of exp(x[r,c])), without overflow. */
void row_lse(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float m = -INFINITY;
    for (int64_t c = 0; c < cols; ++c)
      m = x[r * cols + c] > m ? x[r * cols + c] : m;
    float s = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      s += expf(x[r * cols + c] - m);
    y[r] = m + logf(s);
  }
}
