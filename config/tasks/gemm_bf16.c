#include <stdint.h>
#include <string.h>

/* A bfloat16 is the upper half of a float. */
static inline float widened(uint16_t bits) {
  const uint32_t whole = (uint32_t)bits << 16;
  float x;
  memcpy(&x, &whole, sizeof x);
  return x;
}

/* c = a * b: every element a dot product, in the textbook's order. */
void gemm_bf16(const uint16_t *a, const uint16_t *b, float *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t p = 0; p < k; ++p)
        sum += widened(a[i * k + p]) * widened(b[p * n + j]);
      c[i * n + j] = sum;
    }
  }
}
