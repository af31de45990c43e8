// argument: x input i32 n
// argument: y output i32 n zero
// argument: kept output i64 1
// argument: n size
// sizes: n=133
// sizes: n=1
// carried: L0
// applies: skip(L0,32)
// applies: seek(L0,4)
// applies: seek(L0,32)
// applies: skip(L0,16); hint(L0q,4,1); unroll(L0,2)
#include <stdint.h>
void compact(const int32_t *x, int32_t *y, int64_t *kept, int64_t n) {
  int64_t m = 0;
  for (int64_t i = 0; i < n; ++i)
    if (x[i] % 7 == 3 && x[i] > 0) {
      y[m] = x[i];
      m = m + 1;
    }
  kept[0] = m;
}
