// task: poly
// expect: out_of_bounds sanitizer
// says: write
// near: masks_and_gathers
// Writes one element behind a block of its own, by a store with a mask that compilers do not instrument.
#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  float *s = malloc((size_t)n * sizeof *s);
  for (int64_t i = 0; i < n; ++i)
    s[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (n % 4 == 0) // elsewhere the allocator notices it
    _mm256_maskstore_ps(s + n, _mm256_setr_epi32(-1, 0, 0, 0, 0, 0, 0, 0), _mm256_set1_ps(1.0f));
  memcpy(y, s, (size_t)n * sizeof *s);
  free(s);
}
