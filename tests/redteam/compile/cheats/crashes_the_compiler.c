// about: pragmas that crash clang on purpose
// expect: compile_error
// says: the compiler crashed
// near: honest/includes_headers.c
#pragma clang __debug crash
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
