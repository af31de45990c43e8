// task: row_lse
// Keeps the largest element and the sum in one pass, in eight lanes.
#include <math.h>
#include <stdint.h>

void row_lse(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float m[8], s[8];
    for (int k = 0; k < 8; ++k) {
      m[k] = -INFINITY;
      s[k] = 0.0f;
    }
    for (int64_t c = 0; c < cols; ++c) {
      const int k = (int)(c % 8);
      const float v = x[r * cols + c];
      if (v > m[k]) {
        s[k] = s[k] * expf(m[k] - v) + 1.0f;
        m[k] = v;
      } else
        s[k] += expf(v - m[k]);
    }
    float most = m[0];
    for (int k = 1; k < 8; ++k)
      most = m[k] > most ? m[k] : most;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k)
      sum += m[k] == -INFINITY ? 0.0f : s[k] * expf(m[k] - most);
    y[r] = most + logf(sum);
  }
}
