// class: W6
// task: gemm
// control: double_sums
// expect: wrong_result tolerance
// Factors cut to sixteen bits, as matrix units like them.
#include <stdint.h>
#include <string.h>

static float cut(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits = (bits + 0x8000u) & 0xffff0000u;
  memcpy(&x, &bits, 4);
  return x;
}

void gemm(const float *a, const float *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < k; ++p)
        sum += cut(a[i * k + p]) * cut(b[p * n + j]);
      c[i * n + j] = sum;
    }
}
