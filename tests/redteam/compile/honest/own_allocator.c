// about: an allocator of its own, under a name of its own
#include <stdint.h>
#include <stdlib.h>
static float pool[64];
static float *allocate(void) { return pool; }

void poly(const float *x, const float *w, float *y, int64_t n) {
  float *t = allocate();
  float *u = malloc(64);
  for (int i = 0; i < 8; ++i)
    t[i] = w[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + t[i % 8] * x[i] + 1.0f;
  free(u);
}
