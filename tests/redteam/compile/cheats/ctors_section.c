// about: the old form of a constructor: our link has none of its runners
// expect: harmless
// near: honest/constructor.c
#include <stdint.h>
#include <stdlib.h>
static void early(void) { abort(); }
__attribute__((section(".dtors"), used)) static void (*const kevolve_late)(void) = early;
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
