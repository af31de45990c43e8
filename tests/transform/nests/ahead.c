// argument: index input i64 n small
// argument: from input i32 n small
// argument: x input f32 n*d+40
// argument: y output f32 n*d
// argument: z inout f32 n*d+40
// argument: n size
// argument: d size
// sizes: n=19 d=5
// sizes: n=1 d=1
// sizes: n=40 d=2
// sizes: n=3 d=0
// applies: prefetch(L0,8)
// applies: prefetch(L1,4)
// applies: jam(L0,2); prefetch(L0,2)
// applies: unroll(L2,2); prefetch(L2,4); unroll(L2r,2)
// applies: prefetch(L3,16); unroll(L3,2)
// applies: prefetch(L6,8)
// declines: prefetch(L0,8); prefetch(L0,4): prefetches already
// declines: prefetch(L4,8): reads nothing out of line
// declines: prefetch(L5,8): reads nothing out of line
#include <stdint.h>
void ahead(const int64_t *index, const int32_t *from, const float *x, float *y, float *z, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i) {
    const int row = (int)index[i];
    for (int64_t j = 0; j < d; ++j)
      y[i * d + j] = x[row + j] + x[from[i] + j * n];
  }
  for (int64_t i = 0; i < n; ++i)
    z[index[i]] += x[from[index[i] < n ? i : 0]];
  for (int64_t i = 0; i < n; ++i)
    z[from[i]] += 1.0f;
  for (int64_t i = 0; i < n; ++i)
    if (index[i] > 2)
      z[i] += x[index[i]];
  for (int64_t i = 0; i < n; ++i) {
    const int64_t at = (int64_t)z[i] > 8 ? 1 : (int64_t)z[i];
    z[i] += x[at < 0 ? 0 : at];
  }
  for (int64_t i = 0; i < n; i += 2)
    z[i] += x[i * d];
  for (int64_t i = 0; i < n; ++i) {
    if (index[i] > 90)
      break;
    z[i] += x[index[i]];
  }
  int64_t end = n;
  for (int64_t i = 0; i < end; ++i) {
    z[i] += x[index[i]];
    end = end > n / 2 ? end - 1 : end;
  }
}
