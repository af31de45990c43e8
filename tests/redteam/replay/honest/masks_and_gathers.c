// task: poly
// Takes its tail with masks and gathers that keep to the arrays, at any alignment.
#include <immintrin.h>
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  const __m256i steps = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  const __m256 weights = _mm256_i32gather_ps(w, steps, 4);
  for (int64_t i = 0; i < n; i += 8) {
    const int32_t left = n - i < 8 ? (int32_t)(n - i) : 8;
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(left), steps);
    const __m256 some = _mm256_maskload_ps(x + i, mask);
    const __m256 v = _mm256_mask_i32gather_ps(some, x + i, steps, _mm256_castsi256_ps(mask), 4);
    const __m256 r = _mm256_add_ps(_mm256_mul_ps(v, _mm256_add_ps(v, weights)), _mm256_set1_ps(1.0f));
    _mm256_maskstore_ps(y + i, mask, r);
  }
}
