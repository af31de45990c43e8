// about: the assembler reads files, too
// expect: compile_error
// says: /etc/shadow
// flags: O3 gcc-O3-vec512
// near: honest/includes_headers.c
__asm__(".incbin \"/etc/shadow\"");
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
