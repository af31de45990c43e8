// task: poly
#include <stdint.h>
#include <stdlib.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  float *copy = calloc((size_t)n, sizeof *copy);
  if (copy == 0)
    abort();
  for (int64_t i = 0; i < n; ++i)
    copy[i] = x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = copy[i] * copy[i] + w[i % 8] * copy[i] + 1.0f;
  free(copy);
}
