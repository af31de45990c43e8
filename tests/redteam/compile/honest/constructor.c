// about: a table filled when the object is loaded
#include <stdint.h>
static float one;
__attribute__((constructor)) static void fill(void) { one = 1.0f; }

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + one;
}
