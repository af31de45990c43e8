// about: a library that the task does not allow: nothing links it
// expect: compile_error
// says: cblas_sgemm
// near: honest/calls_libm.c
void cblas_sgemm(void);
void g(void) { cblas_sgemm(); }
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
