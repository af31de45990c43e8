// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
#include <stdint.h>
void volatile_step(const int32_t *x, int32_t *y, int64_t n) {
  volatile int32_t step = 1;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] + step;
}
