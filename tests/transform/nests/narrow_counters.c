// argument: x input i8 n
// argument: y output i8 n
// argument: z output i32 n
// argument: n size
// sizes: n=127
// sizes: n=37
// sizes: n=1
// declines: peel(L0,B0): not linear
#include <stdint.h>
void narrow_counters(const int8_t *x, int8_t *y, int32_t *z, int64_t n) {
  for (int8_t i = 0; i < (int8_t)n; ++i) /* steps past 127 wrap */
    y[i] = (int8_t)(x[i] * 3);
  for (int64_t i = 0; i < n; ++i) {
    int32_t sum = 0;
    for (int64_t k = 0; k < 9; ++k) {
      int8_t q = i + k + 100; /* and so does this */
      if (q >= 3)
        sum += q;
    }
    z[i] = sum;
  }
}
