// about: sections that name libraries and options for other linkers
// expect: harmless
// near: honest/calls_libm.c
#pragma comment(lib, "openblas")
__asm__(".section .drectve\n.string \"-L/tmp -levil\"\n.section .linker-options,\"e\",@llvm_linker_options\n.string \"lib\"\n.string \"openblas\"\n.text");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
