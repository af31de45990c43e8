#include <stdint.h>

/* c = aT b, with a stored k by m. */
void matmul_ta(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < k; ++p)
        sum += a[p * m + i] * b[p * n + j];
      c[i * n + j] = sum;
    }
}
