#include <math.h>
#include <stdint.h>
#include <immintrin.h>

/* One pass: sums of what lies above the row's first number, and of its squares. The shift keeps the difference of squares
   from cancelling. */
void row_statistics(const float *x, float *mean, float *rstd, int64_t rows, int64_t cols, float eps) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *p = x + r * cols;
    const __m512 first = _mm512_set1_ps(p[0]);
    __m512 s[4], t[4];
    for (int l = 0; l < 4; ++l)
      s[l] = t[l] = _mm512_setzero_ps();
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
    mean[r] = p[0] + above;
    rstd[r] = 1.0f / sqrtf(fmaxf(squares / (float)cols - above * above, 0.0f) + eps);
  }
}
