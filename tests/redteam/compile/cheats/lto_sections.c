// about: sections that would make the linker load its plugin
// expect: harmless
// near: honest/inline_assembly.c
__asm__(".section .gnu.lto_.symtab.0,\"e\"\n.quad 1\n.section .gnu.lto_main,\"e\"\n.quad 2\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
