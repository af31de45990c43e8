// about: a precompiled header of the candidate's choice
// expect: compile_error
// says: pch_preprocess
// flags: gcc-O3-vec512
// near: honest/includes_headers.c
#pragma GCC pch_preprocess "@SECRET@/evil.gch"
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
