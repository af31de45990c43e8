// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// argument: m size
// sizes: n=41 m=4
// sizes: n=1 m=1
// declines: peel(L0,B0): its condition is not linear in the loops around it
// declines: peel(L2,B2): its condition is not linear in the loops around it
#include <stdint.h>
void moving_border(const int32_t *x, int32_t *y, int64_t n, int64_t m) {
  int64_t shift = 0;
  for (int64_t i = 0; i < n; ++i) { /* the border goes along */
    int32_t sum = 0;
    for (int64_t k = 0; k < m; ++k) {
      const int64_t at = i + k - shift;
      if (at >= 0 && at < n)
        sum += x[at];
      if (k == 1)
        shift = (shift + 1) % 3;
    }
    y[i] = sum;
  }
  for (int64_t i = 0; i < n; ++i) /* it is read */
    for (int64_t k = 0; k < m; ++k)
      if (i + k > x[0])
        y[i] = y[i] + 1;
  int64_t end = n;
  for (int64_t i = 0; i < end; ++i) /* the loop's own end moves */
    for (int64_t k = 0; k < m; ++k)
      if (i + k < n) {
        y[i] = y[i] + 2;
        if (y[i] > 100)
          end = i;
      }
}
