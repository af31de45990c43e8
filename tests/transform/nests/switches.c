// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// carried: L0
// declines: vectorise(L0,4): holds 
#include <stdint.h>
void switches(const int32_t *x, int32_t *y, int64_t n) {
  int32_t state = 0;
  for (int64_t i = 0; i < n; ++i) {
    switch (state) {
      case 0:
        state = x[i] > 50;
        break;
      case 1:
        state = x[i] > 20 ? 2 : 0;
        break;
      default:
        state = 0;
    }
    y[i] = state;
  }
}
