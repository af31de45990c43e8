// about: small, and keeps the optimiser busy for ever
// expect: timeout
// says: time limit of 900 ms
// limit: 900
// near: honest/macros.c
#define A(x) x; x; x; x; x; x; x; x;
#define B(x) A(A(A(A(x))))
double v;
void g(void) { B(A(v = v * v + 1)) }
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
