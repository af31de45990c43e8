#include <math.h>
#include <stdint.h>
#include <immintrin.h>

static __mmask16 of(int64_t left) { return left >= 16 ? 0xffff : (__mmask16)((1u << left) - 1); }

/* Both rows stay in L1 between the two passes; dx goes past the caches where its lines are whole. */
void rmsnorm_backward(const float *x, const float *weight, const float *dy, float *dx, float *dweight, int64_t rows,
                      int64_t cols, float eps) {
  const int whole_lines = ((uintptr_t)dx & 63) == 0 && cols % 16 == 0;
  for (int64_t c = 0; c < cols; ++c)
    dweight[c] = 0.0f;
  for (int64_t r = 0; r < rows; ++r) {
    const float *p = x + r * cols, *g = dy + r * cols;
    float *q = dx + r * cols;
    __m512 s[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()}, d[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
    int64_t c = 0;
    for (; c + 32 <= cols; c += 32)
      for (int l = 0; l < 2; ++l) {
        const __m512 v = _mm512_loadu_ps(p + c + 16 * l);
        s[l] = _mm512_fmadd_ps(v, v, s[l]);
        d[l] = _mm512_fmadd_ps(_mm512_mul_ps(_mm512_loadu_ps(g + c + 16 * l), _mm512_loadu_ps(weight + c + 16 * l)), v, d[l]);
      }
    for (; c < cols; c += 16) {
      const __mmask16 k = of(cols - c);
      const __m512 v = _mm512_maskz_loadu_ps(k, p + c);
      s[0] = _mm512_fmadd_ps(v, v, s[0]);
      d[0] = _mm512_fmadd_ps(_mm512_mul_ps(_mm512_maskz_loadu_ps(k, g + c), _mm512_maskz_loadu_ps(k, weight + c)), v, d[0]);
    }
    const float scale = 1.0f / sqrtf(_mm512_reduce_add_ps(_mm512_add_ps(s[0], s[1])) / (float)cols + eps);
    const float back = _mm512_reduce_add_ps(_mm512_add_ps(d[0], d[1])) * scale * scale * scale / (float)cols;
    const __m512 by = _mm512_set1_ps(scale), less = _mm512_set1_ps(back);
    for (c = 0; c < cols; c += 16) {
      const __mmask16 k = of(cols - c);
      const __m512 v = _mm512_maskz_loadu_ps(k, p + c);
      const __m512 t = _mm512_mul_ps(_mm512_maskz_loadu_ps(k, g + c), by);
      const __m512 out = _mm512_fnmadd_ps(v, less, _mm512_mul_ps(t, _mm512_maskz_loadu_ps(k, weight + c)));
      _mm512_mask_storeu_ps(dweight + c, k, _mm512_fmadd_ps(t, v, _mm512_maskz_loadu_ps(k, dweight + c)));
      if (whole_lines)
        _mm512_stream_ps(q + c, out);
      else
        _mm512_mask_storeu_ps(q + c, k, out);
    }
  }
  _mm_sfence();
}
