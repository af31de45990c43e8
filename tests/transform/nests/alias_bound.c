// argument: x input i32 n alias
// argument: y output i32 n zero
// argument: z output i32 n
// argument: n size
// sizes: n=25
// sizes: n=1
// carried: L0
// applies: unroll(L0,4)
// declines: jam(L0,2): y and x may overlap
// applies: unroll(L1,4)
// declines: unroll(L2,4): no loop L2
#include <stdint.h>
/* Where the second loop ends may be written in it, under the other name. */
void alias_bound(const int32_t *x, int32_t *y, int32_t *z, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] + 1;
  for (int64_t i = 0; i < (x[0] & 7) % n; ++i)
    y[i] = 2;
  for (int64_t i = 0; i < n; ++i)
    z[i] = 3;
}
