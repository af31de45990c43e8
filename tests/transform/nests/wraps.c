/* borders that wrap */
// argument: x input f32 n*m
// argument: a output f32 n*m
// argument: b output f32 m
// argument: c output f32 m
// argument: d output f32 m
// argument: n size
// argument: m size
// sizes: n=5 m=13
// sizes: n=1 m=1
// sizes: n=2 m=40
// sizes: n=3 m=2
// sizes: n=0 m=3
// independent: L0
// independent: L1
// applies: clip(L1); vectorise(L1,8)
// applies: clip(L1); vectorise(L1,8); mask(L1); jam(L0,2)
// applies: vectorise(L3,8)
// declines: clip(L2): does not count up by one
// applies: clip(L5)
#include <stdint.h>
#include <stddef.h>
void wraps(const float *x, float *a, float *b, float *c, float *d, int64_t n, int64_t m) {
  for (int64_t y = 0; y < n; ++y)
    for (int64_t k = 0; k < m; ++k) {
      const int64_t up = (y + n - 1) % n, down = (y + 1) % n;
      const int64_t left = (k - 1 + m) % m, right = (k + 1) % m;
      a[y * m + k] = 4.0f * x[y * m + k] - x[up * m + k] - x[down * m + k] - x[y * m + left] - x[y * m + right];
    }
  if (n > 0) {
    for (size_t k = 0; k < (size_t)m; ++k) /* two away; more often around than once */
      b[k] = x[(k + 2) % (size_t)m] + x[(k + (size_t)m * 2 - 3) % (size_t)m];
    for (int64_t k = 0; k < m; ++k) /* over half of it alone */
      c[k] = x[(k + m / 2) % m] + x[(k * 3) % m];
    const uint32_t w = (uint32_t)m;
    for (uint32_t k = 0; k < w; ++k)
      d[k] = x[(k + w - 1u) % w];
    for (int64_t k = 0; k < m - 1; ++k)
      d[k] += x[(k + 1) % m] + x[(1 + k + m) % m];
  }
  if (n == 0)
    for (int64_t k = 0; k < m; ++k)
      b[k] = c[k] = d[k] = (float)((k - 1) % m);
}
