// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
#include <stdint.h>
void neighbour_first(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) { /* x[i - 1] is there only where i > 0 */
    int32_t v = 0;
    if (i > 0 && x[i - 1] > 30)
      v = x[i - 1] - 30;
    y[i] = v;
  }
}
