// about: a runtime of threads that the task does not allow
// expect: compile_error
// says: omp_get_max_threads
// near: honest/calls_libm.c
int omp_get_max_threads(void);
int g(void) { return omp_get_max_threads(); }
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
