// about: __DATE__ and __TIME__ would make two compiles of one source differ: they are of the epoch
// expect: harmless
// holds: Jan  1 1970 00:00:00
// flags: O3 gcc-O3-vec512
// near: honest/includes_headers.c
const char kevolve_when[] = __DATE__ " " __TIME__;
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
