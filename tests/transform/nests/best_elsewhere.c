// argument: x input f32 n*m
// argument: z input i32 m small
// argument: o output i64 n
// argument: p output i64 n
// argument: w inout f32 n*m
// argument: n size
// argument: m size
// sizes: n=5 m=67
// sizes: n=3 m=1
// sizes: n=2 m=16
// sizes: n=9 m=33
#include <stdint.h>
void best_elsewhere(const float *x, const int32_t *z, int64_t *o, int64_t *p, float *w, int64_t n, int64_t m) {
  int64_t top = 0;
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = i % m;
    for (int64_t j = 0; j < m; ++j)
      if (x[j * n + i] > x[at * n + i])
        at = j;
    o[i] = at;
    int64_t low = 0;
    for (int64_t j = 0; j < m; ++j) {
      w[i * m + j] += 1.0f;
      if (w[i * m + j] < w[i * m + low])
        low = j;
    }
    int64_t gap = 0;
    int64_t count = 0;
    for (int64_t j = 1; j < m; ++j)
      if (x[i * m + j] - x[i * m + j - 1] > x[i * m + gap] * 0.5f) {
        gap = j;
        ++count;
      }
    if (x[i * m] > x[top * m])
      top = i;
    uint32_t u = 0;
    for (uint32_t j = 0; j < (uint32_t)m; ++j)
      if (z[j] > z[u])
        u = j;
    p[i] = low + 1000 * gap + 1000000 * count + 100000000 * (int64_t)u + 10000000000 * top;
  }
}
