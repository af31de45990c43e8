#include <math.h>
#include <stdint.h>
#include <immintrin.h>

static __mmask16 of(int64_t left) { return left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1); }

/* exp by 2^n e^f, |f| <= ln(2)/2, f in two steps; scalef carries small answers to zero. */
static inline __m512 exponential(__m512 x) {
  x = _mm512_max_ps(x, _mm512_set1_ps(-110.0f));
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504f)), 8);
  __m512 f = _mm512_fnmadd_ps(n, _mm512_set1_ps(0.693359375f), x);
  f = _mm512_fnmadd_ps(n, _mm512_set1_ps(-2.12194440e-4f), f);
  __m512 p = _mm512_set1_ps(1.9875691500e-4f);
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.3981999507e-3f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(8.3334519073e-3f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(4.1665795894e-2f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(1.6666665459e-1f));
  p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(0.5f));
  p = _mm512_fmadd_ps(_mm512_mul_ps(f, f), p, _mm512_add_ps(f, _mm512_set1_ps(1.0f)));
  return _mm512_scalef_ps(p, n);
}

/* A row and its exponentials stay in L1; the answers go past the caches where their lines are whole. */
void softmax_rows(const float *x, float *y, int64_t rows, int64_t cols) {
  float kept[4096] __attribute__((aligned(64)));
  const int whole_lines = ((uintptr_t)y & 63) == 0 && cols % 16 == 0;
  for (int64_t r = 0; r < rows; ++r) {
    const float *p = x + r * cols;
    float *q = y + r * cols;
    float *e = cols <= 4096 ? kept : q;
    __m512 most[4], s[4];
    for (int l = 0; l < 4; ++l) {
      most[l] = _mm512_set1_ps(-INFINITY);
      s[l] = _mm512_setzero_ps();
    }
    int64_t c = 0;
    for (; c + 64 <= cols; c += 64)
      for (int l = 0; l < 4; ++l)
        most[l] = _mm512_max_ps(most[l], _mm512_loadu_ps(p + c + 16 * l));
    for (; c < cols; c += 16)
      most[0] = _mm512_mask_max_ps(most[0], of(cols - c), most[0], _mm512_maskz_loadu_ps(of(cols - c), p + c));
    const __m512 m = _mm512_set1_ps(
      _mm512_reduce_max_ps(_mm512_max_ps(_mm512_max_ps(most[0], most[1]), _mm512_max_ps(most[2], most[3]))));
    for (c = 0; c + 64 <= cols; c += 64)
      for (int l = 0; l < 4; ++l) {
        const __m512 v = exponential(_mm512_sub_ps(_mm512_loadu_ps(p + c + 16 * l), m));
        _mm512_storeu_ps(e + c + 16 * l, v);
        s[l] = _mm512_add_ps(s[l], v);
      }
    for (; c < cols; c += 16) {
      const __mmask16 k = of(cols - c);
      const __m512 v = exponential(_mm512_sub_ps(_mm512_maskz_loadu_ps(k, p + c), m));
      _mm512_mask_storeu_ps(e + c, k, v);
      s[0] = _mm512_mask_add_ps(s[0], k, s[0], v);
    }
    const __m512 by = _mm512_set1_ps(
      1.0f / _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3]))));
    for (c = 0; c < cols; c += 16) {
      const __mmask16 k = of(cols - c);
      const __m512 v = _mm512_mul_ps(_mm512_maskz_loadu_ps(k, e + c), by);
      if (whole_lines)
        _mm512_stream_ps(q + c, v);
      else
        _mm512_mask_storeu_ps(q + c, k, v);
    }
  }
  _mm_sfence();
}
