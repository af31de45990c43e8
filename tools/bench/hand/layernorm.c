#include <math.h>
#include <stdint.h>
#include <immintrin.h>

static __m512 some(const float *p, int64_t left) {
  return _mm512_maskz_loadu_ps(left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1), p);
}

/* Statistics in one pass, shifted by the row's first number; the row stays in L1 for the second, whose
   answers go past the caches where their lines are whole. */
void layernorm(const float *x, const float *weight, const float *bias, float *y, int64_t rows, int64_t cols,
               float eps) {
  const int whole_lines = ((uintptr_t)y & 63) == 0 && cols % 16 == 0;
  for (int64_t r = 0; r < rows; ++r) {
    const float *p = x + r * cols;
    float *q = y + r * cols;
    __m512 s[4], t[4];
    for (int l = 0; l < 4; ++l)
      s[l] = t[l] = _mm512_setzero_ps();
    const __m512 first = _mm512_set1_ps(p[0]);
    int64_t c = 0;
    for (; c + 64 <= cols; c += 64)
      for (int l = 0; l < 4; ++l) {
        const __m512 d = _mm512_sub_ps(_mm512_loadu_ps(p + c + 16 * l), first);
        s[l] = _mm512_add_ps(s[l], d);
        t[l] = _mm512_fmadd_ps(d, d, t[l]);
      }
    float sum = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(s[0], s[1]), _mm512_add_ps(s[2], s[3])));
    float squares = _mm512_reduce_add_ps(_mm512_add_ps(_mm512_add_ps(t[0], t[1]), _mm512_add_ps(t[2], t[3])));
    for (; c < cols; ++c) {
      const float d = p[c] - p[0];
      sum += d;
      squares += d * d;
    }
    const float above = sum / (float)cols;
    const __m512 m = _mm512_set1_ps(p[0] + above);
    const __m512 scale = _mm512_set1_ps(1.0f / sqrtf(fmaxf(squares / (float)cols - above * above, 0.0f) + eps));
    for (c = 0; c < cols; c += 16) {
      const int64_t left = cols - c;
      const __m512 v = _mm512_mul_ps(_mm512_sub_ps(some(p + c, left), m), scale);
      const __m512 out = _mm512_fmadd_ps(v, some(weight + c, left), some(bias + c, left));
      if (whole_lines)
        _mm512_stream_ps(q + c, out);
      else
        _mm512_mask_storeu_ps(q + c, left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1), out);
    }
  }
  _mm_sfence();
}
