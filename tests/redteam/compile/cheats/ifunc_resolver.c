// about: code that runs while relocations are made: under the lock like all the rest
// expect: harmless
// near: honest/constructor.c
#include <stdint.h>
static int one(void) { return 1; }
static int (*choose(void))(void) { return one; }
int kevolve_one(void) __attribute__((ifunc("choose")));
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
