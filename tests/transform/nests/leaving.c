// argument: x input i32 n
// argument: y output i64 n
// argument: n size
// argument: most size
// sizes: n=23 most=9
// sizes: n=1 most=1
// independent: L0 L1
// applies: jam(L0,4)
// applies: jam(L1,3)
#include <stdint.h>
void leaving(const int32_t *x, int64_t *y, int64_t n, int64_t most) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t count = most;
    int64_t seen = 0;
    while (count > 0) {
      if (x[i] % 7 < seen)
        break;
      seen = seen + 1;
      count = count / 2;
    }
    y[i] = count * 100 + seen;
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t seen = 0;
    while (most > 0) {
      if (x[i] % 5 <= seen)
        break;
      seen = seen + 1;
    }
    y[i] = y[i] * 10 + seen;
  }
}
