// task: gemm
// More precise than the reference, not less.
#include <stdint.h>

void gemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int64_t p = 0; p < k; ++p)
        sum += (double)a[i * k + p] * b[p * n + j];
      c[i * n + j] = (float)sum;
    }
}
