#include <stdint.h>

/* </script><img src=x onerror="document.title='broken into'"><svg onload=alert(1)>&amp; ‮ turned around */
void hostile(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float sum = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      sum += x[r * cols + c] * x[r * cols + c];
    y[r] = sum;
  }
}
