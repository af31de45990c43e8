// task: poly
// expect: wrong_result processor_state
// says: registers of x87
// near: flushes_for_itself
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  __asm__ volatile("fld1; fld1; fld1");
}
