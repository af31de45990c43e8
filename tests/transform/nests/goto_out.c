// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// carried: L1
// declines: unroll(L1,2): can be left early
// declines: jam(L1,2): 
#include <stdint.h>
void goto_out(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = -1;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > 90)
      goto found;
    y[i] = x[i];
  }
found:
  y[0] += 7;
}
