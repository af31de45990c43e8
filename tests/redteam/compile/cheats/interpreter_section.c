// about: a section that becomes a program interpreter
// expect: load_error library
// evidence: INTERP=/tmp/evil-loader
// near: honest/inline_assembly.c
__asm__(".section .interp,\"a\"\n.string \"/tmp/evil-loader\"\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
