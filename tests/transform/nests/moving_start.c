// argument: x input i32 n
// argument: y output i32 n zero
// argument: z output i64 4
// argument: n size
// sizes: n=37
// sizes: n=7
// sizes: n=1
// applies: unroll(L0,2); unroll(L1,3)
// applies: jam(L0,4)
// applies: tile(L1,4)
#include <stdint.h>
void moving_start(const int32_t *x, int32_t *y, int64_t *z, int64_t n) {
  int64_t low = n / 3, i; /* read once, whatever the loop makes of it */
  for (i = low; i < n; ++i) {
    y[i] = x[i];
    low = low + 2;
  }
  z[0] = low;
  z[1] = i;
  z[2] = n / 2;
  for (int64_t j = z[2]; j < n; ++j)
    z[2] = z[2] + x[j];
  z[3] = 0;
}
