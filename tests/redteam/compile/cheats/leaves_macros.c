// about: macros and pragmas that would poison a precompiled header if it could be written
// expect: harmless
// near: honest/macros.c
#pragma GCC poison memcpy_s
#define for if
#undef for
#pragma push_macro("NULL")
#undef NULL
#define NULL 1
#pragma pack(push, 1)
#pragma STDC FP_CONTRACT OFF
#pragma clang attribute push(__attribute__((noinline)), apply_to = function)
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
#pragma clang attribute pop
