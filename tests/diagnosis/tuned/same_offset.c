// Each load has the page offset of the store just before it.
#include <stdint.h>
void same_offset(float *x, float *y, int64_t n) {
  for (int r = 0; r < 8; ++r)
#pragma clang loop vectorize(disable) unroll(disable)
    for (int64_t i = 0; i + 1 < n; ++i) {
      y[i + 1] = x[i] * 0.5f;
      x[i] = x[i + 1] + 0.25f;
    }
}
