// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
#include <stdint.h>
void do_while(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t v = x[i] + 1000, digits = 0;
    do {
      v /= 10;
      digits = digits + 1;
    } while (v != 0);
    y[i] = digits;
  }
}
