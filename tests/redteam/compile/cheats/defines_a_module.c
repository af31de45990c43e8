// about: a module made in the source
// expect: compile_error
// says: module
// near: honest/includes_headers.c
#pragma clang module build evil
module evil { header "@SECRET@/oracle.c" }
#pragma clang module contents
#pragma clang module endbuild
#pragma clang module import evil
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
