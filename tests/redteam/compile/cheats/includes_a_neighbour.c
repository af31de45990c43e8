// about: what another server compiles at the moment
// expect: compile_error
// says: candidate.c
// near: honest/includes_headers.c
#include "../kevolve-compile.1.neighbour/candidate.c"
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
