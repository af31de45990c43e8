// argument: x input i32 n small
// argument: next output i32 n zero
// argument: out output i64 3 zero
// argument: n size
// sizes: n=40
// sizes: n=1
// declines: seek(L0,16): B0 may change where its test reads
// declines: skip(L0,16): B0 may change where its test reads
// declines: skip(L1,16): B1 may change where its test reads
// declines: skip(L2,16): B3 may change where its test reads
#include <stdint.h>
void moving_test(const int32_t *x, int32_t *next, int64_t *out, int64_t n) {
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i)
    if (x[at] <= x[i])
      at = i / 2;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t j = next[i];
    if (x[j] > 3)
      next[(i + 1) % n] = 0;
  }
  int64_t found = n;
  for (int64_t i = 0; i < n; ++i)
    if (x[i] == 5) {
      found = i;
      break;
    }
  int64_t most = n;
  for (int64_t i = 0; i < n; ++i)
    if (i < most && x[i] > 6)
      most = i;
  out[0] = at;
  out[1] = found;
  out[2] = most;
}
