// about: 8^9 tokens from two hundred bytes
// expect: out_of_memory|timeout
// limit: 2500
// memory: 700
// near: honest/macros.c
#define A(x) x x x x x x x x
#define B(x) A(A(A(A(x))))
#define C(x) B(B(x))
int y = C(C(+)) 1;
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
