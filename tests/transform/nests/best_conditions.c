// argument: x input f32 n*m
// argument: k input i32 n*m small
// argument: o output i64 n
// argument: p output i32 n
// argument: q output i64 n
// argument: r output f32 n
// argument: n size
// argument: m size
// sizes: n=5 m=67
// sizes: n=3 m=1
// sizes: n=2 m=16
// sizes: n=9 m=33
// applies: vectorise(L1,16); mask(L1); vectorise(L4,8)
// applies: jam(L0,4)
#include <stdint.h>
#include <math.h>
void best_conditions(const float *x, const int32_t *k, int64_t *o, int32_t *p, int64_t *q, float *r, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    const float *row = x + i * m;
    const int32_t *kk = k + i * m;
    int64_t at = 0;
    for (int64_t j = 0; j < m; ++j)
      if (kk[j] != 0 && row[j] < row[at])
        at = j;
    o[i] = at;
    int32_t low = 0, high = (int32_t)m - 1;
    for (int32_t j = 0; j < (int32_t)m; ++j) {
      if (kk[j] >= kk[low])
        low = j;
      if (kk[j] < kk[high])
        high = j;
    }
    p[i] = low * 1000 + high;
    int64_t last = m - 1;
    for (int64_t j = m - 1; j >= 0; --j)
      if (row[j] >= row[last])
        last = j;
    q[i] = last;
    float most = -INFINITY;
    int64_t w = -1;
    for (int64_t j = 0; j < m; ++j) {
      const float v = row[j] * row[j] + (float)kk[j];
      if (v > most) {
        most = v;
        w = j;
      }
    }
    r[i] = (float)w;
  }
}
