// task: gemm
// flags: -O3
// Another order of the loops, with a buffer for one row.
#include <stdint.h>
#include <string.h>

void gemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    float *row = c + i * n;
    memset(row, 0, (size_t)n * sizeof *row);
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        row[j] += a[i * k + p] * b[p * n + j];
  }
}
