// argument: x input i32 n
// argument: y output i32 n zero
// argument: n size
// sizes: n=37
// sizes: n=1
// declines: unroll(L0,2): no loop L0
#include <stdint.h>
void returns(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > 90)
      return;
    y[i] = x[i] - 3;
  }
  y[0] = 5;
}
