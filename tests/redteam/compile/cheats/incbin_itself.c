// about: the workspace holds nothing but the candidate's own source
// expect: harmless
// near: honest/includes_headers.c
__asm__(".section .rodata\n.incbin \"candidate.c\"\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
