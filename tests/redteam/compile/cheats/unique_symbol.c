// about: a symbol that the loader binds process-wide, even in a local scope
// expect: harmless
// near: honest/own_allocator.c
__asm__(".type clock_gettime,@gnu_unique_object\n.data\nclock_gettime: .quad 0\n.size clock_gettime, 8\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
