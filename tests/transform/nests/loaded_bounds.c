// argument: off input i64 m small
// argument: x input i32 m*n+8
// argument: y inout i32 m*n+n+8
// argument: m size
// argument: n size
// sizes: m=5 n=37
// sizes: m=1 n=1
// carried: L0
// declines: jam(L0,2): iterations may meet in y
#include <stdint.h>
void loaded_bounds(const int64_t *off, const int32_t *x, int32_t *y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) /* n wide, but it begins where it likes */
    for (int64_t j = off[i]; j < off[i] + n; ++j)
      y[i * n + j] = (y[i * n + j] * 3 + x[j - off[i] + i]) & 1023;
}
