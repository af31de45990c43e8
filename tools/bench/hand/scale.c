#include <stdint.h>
#include <immintrin.h>

/* Stores past the caches: y's lines need not be read before they are written. */
void scale(const float *x, float *y, int64_t n) {
  const __m512 two = _mm512_set1_ps(2.0f);
  int64_t i = 0;
  for (; i < n && ((uintptr_t)(y + i) & 63) != 0; ++i)
    y[i] = 2.0f * x[i];
  for (; i + 64 <= n; i += 64) {
    __m512 a = _mm512_mul_ps(two, _mm512_loadu_ps(x + i)), b = _mm512_mul_ps(two, _mm512_loadu_ps(x + i + 16));
    __m512 c = _mm512_mul_ps(two, _mm512_loadu_ps(x + i + 32)), d = _mm512_mul_ps(two, _mm512_loadu_ps(x + i + 48));
    _mm512_stream_ps(y + i, a);
    _mm512_stream_ps(y + i + 16, b);
    _mm512_stream_ps(y + i + 32, c);
    _mm512_stream_ps(y + i + 48, d);
  }
  for (; i < n; ++i)
    y[i] = 2.0f * x[i];
  _mm_sfence();
}
