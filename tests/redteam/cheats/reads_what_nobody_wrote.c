// class: W9
// task: poly
// control: malloc_scratch
// expect: wrong_result|nonfinite|nondeterministic tolerance|nonfinite|rerun
// Sums start from memory that it did not set, which is zero in a new process and not later.
#include <stdint.h>
#include <stdlib.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  float *sums = malloc((size_t)n * sizeof *sums);
  if (sums == 0)
    abort();
  for (int64_t i = 0; i < n; ++i) {
    sums[i] += x[i] * x[i];
    y[i] = sums[i] + w[i % 8] * x[i] + 1.0f;
  }
  free(sums);
}
