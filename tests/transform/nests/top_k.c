// argument: x input i32 n
// argument: ids output i32 k
// argument: best output i32 k
// argument: n size
// argument: k size
// sizes: n=197 k=5
// sizes: n=64 k=1
// sizes: n=0 k=3
// carried: L1
// applies: skip(L1,16)
// applies: skip(L1,64); hint(L1q,8,2)
// applies: skip(L1,32); unroll(L1q,4)
// applies: seek(L1,16)
// applies: seek(L1,8)
// applies: seek(L1,64); unroll(L1r,2)
// declines: skip(L0,16): is not a test
// declines: seek(L0,16): is not a test
#include <stdint.h>
void top_k(const int32_t *x, int32_t *ids, int32_t *best, int64_t n, int64_t k) {
  for (int64_t r = 0; r < k; ++r) {
    ids[r] = -1;
    best[r] = 0;
  }
  for (int64_t i = 0; i < n; ++i) {
    const int32_t s = x[i];
    if (s > best[k - 1]) {
      int64_t r = k - 1;
      while (r > 0 && best[r - 1] < s) {
        ids[r] = ids[r - 1];
        best[r] = best[r - 1];
        r = r - 1;
      }
      ids[r] = (int32_t)i;
      best[r] = s;
    }
  }
}
