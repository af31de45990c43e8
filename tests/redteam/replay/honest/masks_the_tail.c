// task: poly
// Vectors that are loaded from anywhere, and a last one of which only the lanes that are there are touched.
#include <stdint.h>
#if defined(__AVX2__)
#include <immintrin.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  const __m256 ws = _mm256_loadu_ps(w);
  const __m256 one = _mm256_set1_ps(1.0f);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 v = _mm256_loadu_ps(x + i);
    _mm256_storeu_ps(y + i, _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(v, v), _mm256_mul_ps(ws, v)), one));
  }
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(n - i)), lanes);
  const __m256 v = _mm256_maskload_ps(x + i, mask);
  _mm256_maskstore_ps(y + i, mask, _mm256_add_ps(_mm256_add_ps(_mm256_mul_ps(v, v), _mm256_mul_ps(ws, v)), one));
}
#else
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
#endif
