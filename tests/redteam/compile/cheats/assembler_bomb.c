// about: .fill of eight gigabytes
// expect: out_of_memory|compile_error|timeout
// near: honest/large_table.c
__asm__(".fill 1073741824, 8, 0");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
