// about: an error that leaves no place for another
// expect: compile_error
// near: honest/includes_headers.c
#pragma clang __debug llvm_fatal_error
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
