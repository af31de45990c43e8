// task: poly
// expect: out_of_bounds sanitizer
// says: read
// near: masks_the_tail
// Reads a whole vector where the tail has fewer elements, by an instruction that compilers do not instrument.
#include <immintrin.h>
#include <stdint.h>
static volatile int sink;
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (n % 8 != 0)
    sink = _mm256_extract_epi32(_mm256_lddqu_si256((const __m256i *)(x + n / 8 * 8)), 7);
}
