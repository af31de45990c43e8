// about: warnings without end: the log is cut
// expect: compile_error
// largest: 17000
// near: honest/macros.c
#define W _Pragma("message(\"0123456789012345678901234567890123456789\")")
#define A(x) x x x x x x x x
A(A(A(A(W))))
#error enough
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
