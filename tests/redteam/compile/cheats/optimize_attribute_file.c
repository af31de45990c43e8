// about: an attribute that carries a response file or a plugin: gcc leaves it alone
// expect: harmless
// flags: gcc-O3-vec512
// near: honest/target_attribute.c
#include <stdint.h>
__attribute__((optimize("@/etc/passwd", "-fplugin=/tmp/evil.so")))
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
