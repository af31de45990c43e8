// task: poly
#include <immintrin.h>
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  const unsigned state = _mm_getcsr();
  _mm_setcsr(state | 0x8000);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  _mm_setcsr(state);
}
