// Nine arrays at one offset within their pages: their lines want the same eight places of the first-level cache.
#include <stdint.h>
void same_offset(const float *restrict a, const float *restrict b, const float *restrict c, const float *restrict d,
                 const float *restrict e, const float *restrict f, const float *restrict g, const float *restrict h,
                 float *restrict y, int64_t n) {
  for (int r = 0; r < 4; ++r)
#pragma clang loop vectorize(disable)
    for (int64_t i = 0; i < n; ++i)
      y[i] = (a[i] + b[i]) + (c[i] + d[i]) + (e[i] + f[i]) + (g[i] + h[i]);
}
