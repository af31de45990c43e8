#include <stdint.h>

/* c = a * b: every element a dot product, in the textbook's order. */
void gemm_f16(const _Float16 *a, const _Float16 *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < k; ++p)
        sum += (float)a[i * k + p] * (float)b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}
