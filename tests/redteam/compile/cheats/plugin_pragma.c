// about: pragmas and attributes that name plugins or response files change no command line
// expect: harmless
// flags: O3 gcc-O3-vec512
// near: honest/includes_headers.c
#pragma clang plugin load "/tmp/evil.so"
#pragma GCC plugin "/tmp/evil.so"
#pragma response_file "@/etc/passwd"
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
