// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=13
// sizes: n=1
// independent: L0
// applies: jam(L0,4)
// applies: vectorise(L0,8)
#include <stdint.h>
void empty_slots(const int32_t *x, int32_t *y, int64_t n) {
  int64_t i = 0;
  for (; i < n;) {
    y[i] = x[i] * 3 + (int32_t)i;
    i++;
  }
  for (;;) {
    if (n < 0 || y[0] > 5)
      break;
    y[0] += 2;
  }
}
