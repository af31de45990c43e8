// task: poly_threads
// flags: -O2 -fopenmp
// As everybody writes it: the runtime asks for its affinity when it starts.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
