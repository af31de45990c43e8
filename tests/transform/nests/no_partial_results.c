// argument: x input i32 n
// argument: f input f32 n
// argument: y output i32 6
// argument: n size
// sizes: n=64
// sizes: n=37
// sizes: n=1
// declines: split_accumulators(L0,2): grown carries a value
// declines: vectorise(L1,8): least carries a value
// declines: split_accumulators(L2,2): rounded carries a value
// declines: split_accumulators(L3,2): scaled carries a value
// declines: split_accumulators(L4,2): narrow carries a value
// declines: split_accumulators(L5,2): mixed carries a value
#include <stdint.h>
void no_partial_results(const int32_t *x, const float *f, int32_t *y, int64_t n) {
  int32_t grown = 0, least = 3, rounded = 1000, scaled = 1000, mixed = 16777217;
  int8_t narrow = -128;
  for (int64_t i = 0; i < n; ++i) /* a sum, though it looks like a maximum */
    if (grown + x[i] - 50 > grown)
      grown = grown + x[i] - 50;
  for (int64_t i = 0; i < n; ++i)
    least = x[i] - least > least ? x[i] - least : least;
  for (int64_t i = 0; i < n; ++i) /* rounded every time */
    rounded += f[i];
  for (int64_t i = 0; i < n; ++i)
    scaled *= 1.01f;
  for (int64_t i = 0; i < n; ++i) /* what is taken is not what was compared */
    if (x[i] * 3 > narrow)
      narrow = x[i] * 3;
  for (int64_t i = 0; i < n; ++i)
    if (f[i] > mixed)
      mixed = f[i];
  y[0] = grown;
  y[1] = least;
  y[2] = rounded;
  y[3] = scaled;
  y[4] = narrow;
  y[5] = mixed;
}
