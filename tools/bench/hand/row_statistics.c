#include <math.h>
#include <stdint.h>
#include <immintrin.h>

/* A row stays in L1: memory is read once. The next row is asked for while this one's squares are summed. */
void row_statistics(const float *x, float *mean, float *rstd, int64_t rows, int64_t cols, float eps) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *p = x + r * cols;
    const int64_t whole = cols & ~(int64_t)63;
    __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    for (int64_t c = 0; c < whole; c += 64) {
      s0 = _mm512_add_ps(s0, _mm512_loadu_ps(p + c));
      s1 = _mm512_add_ps(s1, _mm512_loadu_ps(p + c + 16));
      s2 = _mm512_add_ps(s2, _mm512_loadu_ps(p + c + 32));
      s3 = _mm512_add_ps(s3, _mm512_loadu_ps(p + c + 48));
    }
    float sum = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
    for (int64_t c = whole; c < cols; ++c)
      sum += p[c];
    const float m = sum / (float)cols;
    const __m512 mv = _mm512_set1_ps(m);
    s0 = s1 = s2 = s3 = _mm512_setzero_ps();
    for (int64_t c = 0; c < whole; c += 64) {
      for (int64_t l = 0; l < 64; l += 16)
        _mm_prefetch((const char *)(p + c + l + cols), _MM_HINT_T0);
      const __m512 a = _mm512_sub_ps(_mm512_loadu_ps(p + c), mv), b = _mm512_sub_ps(_mm512_loadu_ps(p + c + 16), mv);
      const __m512 d = _mm512_sub_ps(_mm512_loadu_ps(p + c + 32), mv), e = _mm512_sub_ps(_mm512_loadu_ps(p + c + 48), mv);
      s0 = _mm512_fmadd_ps(a, a, s0);
      s1 = _mm512_fmadd_ps(b, b, s1);
      s2 = _mm512_fmadd_ps(d, d, s2);
      s3 = _mm512_fmadd_ps(e, e, s3);
    }
    float squares = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
    for (int64_t c = whole; c < cols; ++c)
      squares += (p[c] - m) * (p[c] - m);
    mean[r] = m;
    rstd[r] = 1.0f / sqrtf(squares / (float)cols + eps);
  }
}
