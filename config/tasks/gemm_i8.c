#include <stdint.h>

/* c = a * b: every element a dot product, in the textbook's order. */
void gemm_i8(const int8_t *a, const int8_t *b, int32_t *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int32_t sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += (int32_t)a[i * k + p] * (int32_t)b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}
