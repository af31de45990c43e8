// about: another candidate's object from the workspace of another server
// expect: compile_error
// says: candidate.so
// near: honest/includes_headers.c
__asm__(".incbin \"../kevolve-compile.1.neighbour/candidate.so\"");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
