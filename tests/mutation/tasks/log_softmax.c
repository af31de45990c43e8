#include <math.h>
#include <stdint.h>

/* y = x - log(sum of exp(x)) over each row. */
void log_softmax(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float largest = x[r * cols];
    for (int64_t c = 1; c < cols; ++c)
      largest = fmaxf(largest, x[r * cols + c]);
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      sum += expf(x[r * cols + c] - largest);
    const float shift = largest + logf(sum);
    for (int64_t c = 0; c < cols; ++c)
      y[r * cols + c] = x[r * cols + c] - shift;
  }
}
