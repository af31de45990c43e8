// about: entries of its own for the dynamic section: the linker lets them in, in front of its own
// expect: load_error object_format
// near: honest/inline_assembly.c
__asm__(".section .dynamic,\"aw\"\n.quad 1\n.quad 1\n.quad 0\n.quad 0\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
