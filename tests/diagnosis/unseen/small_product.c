// A product of small matrices in registers, at as many multiply-adds a cycle as there are.
#include <immintrin.h>
#include <stdint.h>
void small_product(const float *restrict a, const float *restrict b, float *restrict y, int64_t n) {
  for (int r = 0; r < 64; ++r) {
    __m256 s[4][3];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j)
        s[i][j] = _mm256_set1_ps((float)r);
    for (int64_t k = 0; k < n; ++k) {
      const __m256 b0 = _mm256_loadu_ps(b + 24 * k), b1 = _mm256_loadu_ps(b + 24 * k + 8),
                   b2 = _mm256_loadu_ps(b + 24 * k + 16);
      for (int i = 0; i < 4; ++i) {
        const __m256 v = _mm256_broadcast_ss(a + 4 * k + i);
        s[i][0] = _mm256_fmadd_ps(v, b0, s[i][0]);
        s[i][1] = _mm256_fmadd_ps(v, b1, s[i][1]);
        s[i][2] = _mm256_fmadd_ps(v, b2, s[i][2]);
      }
    }
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 3; ++j)
        _mm256_storeu_ps(y + 24 * i + 8 * j, s[i][j]);
  }
}
