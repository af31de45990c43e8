/* The largest, the smallest, and the first place that has it: by its value, by its place alone, by a condition more. */
// argument: x input f32 n*m
// argument: k input i32 n*m small
// argument: best output i32 n
// argument: second output i64 n
// argument: least output i64 n
// argument: value output i32 n
// argument: last output i32 n
// argument: n size
// argument: m size
// sizes: n=5 m=67
// sizes: n=3 m=2
// sizes: n=2 m=16
// sizes: n=9 m=33
// independent: L0 L1 L2 L3 L4 L5
// applies: vectorise(L1,16)
// applies: vectorise(L1,8); mask(L1); vectorise(L2,8); mask(L2)
// applies: vectorise(L2,4); jam(L0,2)
// applies: vectorise(L4,8); mask(L4)
// applies: vectorise(L4,16)
// applies: jam(L0,3); vectorise(L1,8)
// applies: unroll(L1,4); skip(L4,16)
// applies: seek(L1,16)
// applies: vectorise(L3,8)
// declines: vectorise(L6,8): carries a value
// declines: vectorise(L8,8): carries a value
// declines: split_accumulators(L1,2): carries a value
#include <stdint.h>
void first_best(const float *x, const int32_t *k, int32_t *best, int64_t *second, int64_t *least, int32_t *value, int32_t *last, int64_t n, int64_t m) {
  for (int64_t r = 0; r < n; ++r) { /* two places, no values */
    const float *row = x + r * m;
    int32_t a = 0;
    for (int64_t c = 1; c < m; ++c)
      if (row[c] > row[a])
        a = (int32_t)c;
    int64_t b = a == 0 ? 1 : 0;
    for (int64_t c = 0; c < m; ++c)
      if (c != a && row[b] < row[c])
        b = c;
    best[r] = a;
    second[r] = b;
  }
  for (int64_t r = 0; r < n; ++r) { /* equal ones: the first counts, and one that is there already */
    int32_t most = 5;
    int64_t at = -7;
    for (int64_t c = 0; c < m; ++c)
      if (k[r * m + c] < most) {
        at = c;
        most = k[r * m + c];
      }
    least[r] = at;
    value[r] = most;
  }
  for (int64_t r = 0; r < n; ++r) { /* the last one counts */
    int32_t at = 0;
    for (int64_t c = 1; c < m; ++c)
      if (k[r * m + c] >= k[r * m + at])
        at = (int32_t)c;
    last[r] = at;
  }
  for (int64_t r = 0; r < n; ++r) { /* the place decides what comes next */
    int32_t at = 0;
    for (int64_t c = 1; c < m; ++c)
      if (x[r * m + c] > x[r * m + at] && c > 2 * at)
        at = (int32_t)c;
    last[r] += at;
  }
}
