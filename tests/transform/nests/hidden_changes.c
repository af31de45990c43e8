// argument: x input i32 n
// argument: y output i32 3*n zero
// argument: n size
// sizes: n=37
// sizes: n=2
// sizes: n=1
// declines: unroll(L0,2): no loop L0
#include <stdint.h>
void hidden_changes(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) { /* counted twice */
    if (x[i++] > 50)
      y[i - 1] = 1;
  }
  int64_t m = n;
  for (int64_t i = 0; i < m; ++i)
    y[n + i] = x[i] > 50 ? (--m, 1) : 2;
  int64_t end = n, *p = &end;
  for (int64_t i = 0; i < end; ++i) {
    y[2 * n + i] = x[i];
    if (x[i] > 70)
      *p = *p - 1;
  }
}
