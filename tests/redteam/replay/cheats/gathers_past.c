// task: poly
// expect: out_of_bounds sanitizer
// says: read
// near: masks_and_gathers
// Gathers a whole vector where the tail has fewer elements, and throws the rest away.
#include <immintrin.h>
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  const __m256i steps = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (int64_t i = 0; i < n; i += 8) {
    float v[8];
    _mm256_storeu_ps(v, _mm256_i32gather_ps(x + i, steps, 4));
    for (int64_t k = 0; k < 8 && i + k < n; ++k)
      y[i + k] = v[k] * v[k] + w[k] * v[k] + 1.0f;
  }
}
