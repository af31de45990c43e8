// task: gemm
// flags: -O3
// Code of its own for the shape that matters, and a way that holds for every other.
#include <stdint.h>

static void any(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < k; ++p)
        sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}

void gemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  if (n == 64 && k == 64) {
    for (int64_t i = 0; i < m; ++i) {
      float row[64] = {0.0f};
      for (int p = 0; p < 64; ++p)
        for (int j = 0; j < 64; ++j)
          row[j] += a[i * 64 + p] * b[p * 64 + j];
      for (int j = 0; j < 64; ++j)
        c[i * 64 + j] = row[j];
    }
    return;
  }
  any(a, b, c, m, n, k);
}
