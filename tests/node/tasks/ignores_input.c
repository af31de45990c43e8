#include <stdint.h>

void ignores_input(const float *x, const float *w, float *y, int64_t n) {
  (void)w;
  for (int64_t i = 0; i < n; ++i)
    y[i] = 2.0f * x[i];
}
