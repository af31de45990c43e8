// class: W4
// task: gemm
// control: shape_dispatch
// expect: nonfinite|wrong_result|crashed nonfinite|tolerance|signal
// The sizes of the one shape that is timed, whatever it is called with; stays inside the arrays by luck only.
#include <stdint.h>

void gemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  int64_t rows = m < 64 ? m : 64;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < 64 && i * 64 + j < m * n; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < 64 && i * 64 + p < m * k && p * 64 + j < n * k; ++p)
        sum += a[i * 64 + p] * b[p * 64 + j];
      c[i * 64 + j] = sum;
    }
}
