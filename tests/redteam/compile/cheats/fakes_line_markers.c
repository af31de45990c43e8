// about: line markers that point at other files: a log may name them, and nothing opens them
// expect: harmless
// flags: O3 gcc-O3-vec512
// near: honest/includes_headers.c
# 1 "/etc/passwd" 1 3
# 1 "candidate.c" 2
#line 7 "@SECRET@/oracle.c"
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
