// about: a section whose text the linker prints
// expect: harmless|compile_error
// near: honest/inline_assembly.c
__asm__(".section .gnu.warning.poly\n.string \"kevolve: pass\"\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
