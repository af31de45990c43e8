// about: one error about one line of a megabyte
// expect: compile_error
// largest: 17000
// near: honest/macros.c
int g(void) { return 1
// repeat 300000 +a
; }
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
