// argument: x input f32 n
// argument: y output i32 1
// argument: n size
// sizes: n=37
// sizes: n=1
// declines: if_convert(B0): does more than set scalars
#include <stdint.h>
void select_rounds(const float *x, int32_t *y, int64_t n) {
  int32_t best = 16777217; /* no float */
  for (int64_t i = 0; i < n; ++i) {
    const float v = x[i];
    if (v > 2.99f)
      best = v;
  }
  y[0] = best;
}
