#include <math.h>
#include <stdint.h>

/* Gradients of y = x / sqrt(mean(x^2) + eps) * weight, row by row. */
void rmsnorm_backward(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int64_t rows,
                      int64_t cols, float eps) {
  for (int64_t c = 0; c < cols; ++c)
    dweight[c] = 0.0f;
  for (int64_t r = 0; r < rows; ++r) {
    float squares = 0.0f;
    float dot = 0.0f;
    for (int64_t c = 0; c < cols; ++c) {
      squares += x[r * cols + c] * x[r * cols + c];
      dot += dy[r * cols + c] * weight[c] * x[r * cols + c];
    }
    const float scale = 1.0f / sqrtf(squares / (float)cols + eps);
    const float back = dot * scale * scale * scale / (float)cols;
    for (int64_t c = 0; c < cols; ++c) {
      dx[r * cols + c] = dy[r * cols + c] * weight[c] * scale - x[r * cols + c] * back;
      dweight[c] += dy[r * cols + c] * x[r * cols + c] * scale;
    }
  }
}
