// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: vectorise(L0,8)
// applies: jam(L0,2)
#include <stdint.h>
void shifts(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const int32_t v = x[i] - 50;
    y[i] = (v >> 2) + ((v & 7) << 3) + (int32_t)((uint32_t)v >> 28) + (v ^ 5) + (~v | 64);
  }
}
