// about: a note that asks for an executable stack
// expect: harmless
// near: honest/inline_assembly.c
__asm__(".section .note.GNU-stack,\"x\",@progbits\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
