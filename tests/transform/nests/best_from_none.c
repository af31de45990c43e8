/* no place is taken before the first, which nothing is compared with; at == -1 asks another question where at begins at -2 */
// argument: x input f32 n*m
// argument: k input i32 n*m small
// argument: o output i64 n
// argument: p output i32 n
// argument: q output i64 n
// argument: r output i64 n
// argument: u output i64 n
// argument: n size
// argument: m size
// sizes: n=5 m=67
// sizes: n=3 m=1
// sizes: n=2 m=16
// sizes: n=9 m=33
// sizes: n=4 m=0
// applies: vectorise(L1,16); mask(L1); vectorise(L2,16); vectorise(L3,8)
// applies: jam(L0,4)
// declines: vectorise(L4,8): odd carries a value
// declines: vectorise(L5,8): last carries a value
#include <stdint.h>
void best_from_none(const float *x, const int32_t *k, int64_t *o, int32_t *p, int64_t *q, int64_t *r, int64_t *u, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    const float *row = x + i * m;
    const int32_t *kk = k + i * m;
    int64_t at = -1;
    for (int64_t j = 0; j < m; ++j)
      if (at < 0 || row[j] < row[at])
        at = j;
    o[i] = at;
    int32_t most = -1;
    for (int32_t j = 0; j < (int32_t)m; ++j)
      if (kk[j] > 0 && (most == -1 || row[j] > row[most]))
        most = j;
    p[i] = most;
    int64_t low = -7;
    for (int64_t j = 0; j < m; ++j) {
      const float v = row[j];
      if (low < 0 || v < row[low])
        low = j;
    }
    q[i] = low;
    int64_t odd = m > 0 ? 0 : -2;
    for (int64_t j = 0; j < m; ++j)
      if (odd == -1 || row[j] > row[odd])
        odd = j;
    r[i] = odd;
    int64_t last = -1;
    for (int64_t j = 0; j < m; ++j)
      if ((last < 0 || row[j] < row[last]) && kk[j] > 3)
        last = j;
    u[i] = last;
  }
}
