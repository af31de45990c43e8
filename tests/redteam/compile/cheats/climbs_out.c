// about: the oracle, by a path that climbs out of the workspace
// expect: compile_error
// says: oracle.c
// near: honest/includes_headers.c
#include "../../../../../../../../../..@SECRET@/oracle.c"
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
