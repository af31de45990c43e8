#include <stdint.h>
#include <immintrin.h>

/* Four sums at once, two KiB ahead asked for. */
void sums(const float *x, float *y, int64_t blocks) {
  for (int64_t b = 0; b < blocks; ++b) {
    const float *p = x + b * 1024;
    __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    for (int64_t i = 0; i < 1024; i += 64) {
      _mm_prefetch((const char *)(p + i + 512), _MM_HINT_T0);
      _mm_prefetch((const char *)(p + i + 528), _MM_HINT_T0);
      _mm_prefetch((const char *)(p + i + 544), _MM_HINT_T0);
      _mm_prefetch((const char *)(p + i + 560), _MM_HINT_T0);
      s0 = _mm512_add_ps(s0, _mm512_loadu_ps(p + i));
      s1 = _mm512_add_ps(s1, _mm512_loadu_ps(p + i + 16));
      s2 = _mm512_add_ps(s2, _mm512_loadu_ps(p + i + 32));
      s3 = _mm512_add_ps(s3, _mm512_loadu_ps(p + i + 48));
    }
    y[b] = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
  }
}
