// about: .space of four gigabytes in a section that is stored
// expect: compile_error|out_of_memory
// flags: O3 gcc-O3-vec512
// near: honest/large_table.c
__asm__(".data\n.space 4294967296, 1\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
