// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=26
// sizes: n=1
// carried: L0
// independent: L1
// applies: tile(L0,8); vectorise(L1,8)
// declines: jam(L0,2): holds 'switch
// declines: unroll(L0,2): can be left early
#include <stdint.h>
void opaque(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    switch (x[i] & 3) {
      case 0:
        y[i] = 7;
        break;
      case 1:
      case 2:
        y[i] = x[i];
        break;
      default:
        y[i] = -1;
    }
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] * 2 + x[i];
  int64_t k = 0;
  do {
    y[k] ^= 1;
    k += 2;
  } while (k < n);
  if (n > 3)
    goto done;
  y[0] = 3;
done:
  y[0] += 1;
}
