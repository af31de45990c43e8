/* What `&&`, `||` and `?:` keep from being read, before an array, after it and through an index, is not read. */
// argument: x input f32 n*m
// argument: up input i32 n*m small
// argument: peaks output i32 n
// argument: higher output i32 n
// argument: least output i64 n
// argument: n size
// argument: m size
// sizes: n=3 m=33
// sizes: n=1 m=1
// sizes: n=4 m=64
// independent: L0 L1 L2
// declines: vectorise(L1,16): a guarded load
// declines: vectorise(L2,8): a guarded load
// declines: vectorise(L0,4): a guarded load
#include <stdint.h>
void guarded_reads(const float *x, const int32_t *up, int32_t *peaks, int32_t *higher, int64_t *least, int64_t n,
                   int64_t m) {
  for (int64_t r = 0; r < n; ++r) {
    const float *row = x + r * m;
    int32_t found = 0;
    for (int64_t i = 0; i < m; ++i)
      if ((i == 0 || row[i] > row[i - 1]) && (i + 1 == m || row[i] >= row[i + 1]))
        found += 1;
    peaks[r] = found;
    int32_t above = 0;
    for (int64_t i = 0; i < m; ++i) {
      const int32_t parent = (up[r * m + i] - 4) * 1000000;
      if (parent == 0 && row[parent] > row[i])
        above += 1;
    }
    higher[r] = above;
    int64_t at = -1;
    for (int64_t i = 0; i < m; ++i)
      if (up[r * m + i] > 2 && (at < 0 || row[i] < row[at]))
        at = i;
    least[r] = at;
  }
}
