// argument: x input i8 n
// argument: y output i8 n
// argument: n size
// sizes: n=37
// sizes: n=1
// applies: unroll(L0,3)
#include <stdint.h>
void bytes_wrap(const int8_t *x, int8_t *y, int64_t n) {
  uint8_t sum = 200;
  for (int64_t i = 0; i < n; ++i) {
    sum = (uint8_t)(sum + (uint8_t)x[i]);
    y[i] = (int8_t)(sum >> 1);
  }
}
