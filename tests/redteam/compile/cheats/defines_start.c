// about: a start file of its own: a library has none
// expect: harmless
// near: honest/own_allocator.c
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
void _start(void) { }
int main(void) { return 0; }
