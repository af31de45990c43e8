// about: an expression as deep as the parser allows to be built by operators
// expect: compile_error|timeout|out_of_memory
// limit: 1500
// near: honest/macros.c
int g(int a) { return
// repeat 300000 -!
a; }
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
