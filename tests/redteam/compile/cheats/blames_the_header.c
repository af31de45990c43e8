// about: diagnostics that speak of the precompiled header make the server try it once more, and nothing else
// expect: compile_error
// says: out of date
// near: honest/includes_headers.c
#error PCH file is precompiled and out of date
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
