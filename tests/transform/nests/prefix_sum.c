// argument: x input i64 n
// argument: y output i64 n+1
// argument: n size
// sizes: n=17
// sizes: n=1
// carried: L0
// applies: unroll(L0,4)
// applies: tile(L0,4)
// declines: jam(L0,2): iterations may meet in y
// declines: vectorise(L0,4): iterations may meet in y
#include <stdint.h>
void prefix_sum(const int64_t *x, int64_t *y, int64_t n) {
  y[0] = 0;
  for (int64_t i = 0; i < n; ++i)
    y[i + 1] = y[i] + x[i];
}
