// task: poly
// expect: wrong_result processor_state
// near: flushes_for_itself
#include <immintrin.h>
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  _mm_setcsr(_mm_getcsr() | 0x8040);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
