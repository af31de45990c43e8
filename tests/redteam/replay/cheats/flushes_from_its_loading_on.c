// task: poly
// expect: wrong_result processor_state
// says: whether small ones are flushed
// near: flushes_for_itself
// Its constructor flushes small numbers to zero, for the thread that loads it and all that this thread computes.
#include <stdint.h>
#include <xmmintrin.h>
__attribute__((constructor)) static void set(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
