// about: .rept inside .rept
// expect: timeout|out_of_memory|compile_error
// limit: 1200
// memory: 700
// flags: O3 gcc-O3-vec512
// near: honest/inline_assembly.c
__asm__(".rept 100000\n.rept 100000\nnop\n.endr\n.endr");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
