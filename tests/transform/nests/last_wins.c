// argument: x input i32 n
// argument: y output i32 4
// argument: n size
// sizes: n=37
// sizes: n=1
// carried: L1
// declines: vectorise(L1,4): iterations may meet in y
// declines: jam(L1,2): iterations may meet in y
#include <stdint.h>
void last_wins(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t k = 0; k < 4; ++k)
    y[k] = 0;
  for (int64_t i = 0; i < n; ++i)
    y[i % 4] = x[i];
}
