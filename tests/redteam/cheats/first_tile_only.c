// class: W8
// task: gemm
// control: blocked_gemm
// expect: nonfinite|wrong_result nonfinite|tolerance
// The tile that a spot check would look at.
#include <stdint.h>

void gemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m && i < 32; ++i)
    for (int64_t j = 0; j < n && j < 32; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < k; ++p)
        sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}
