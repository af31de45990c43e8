// argument: x input f32 n
// argument: y output f32 1 exact
// argument: n size
// sizes: n=25
// sizes: n=1
// independent: L0
// applies: unroll(L0,4)
// declines: split_accumulators(L0,2): cannot be split
// declines: vectorise(L0,8): cannot be split
// declines: hint(L0,8,1): s would be summed in another order
// declines: math: the result must be exact
#include <stdint.h>
void exact(const float *x, float *y, int64_t n) {
  float s = 0;
  for (int64_t i = 0; i < n; ++i)
    s += x[i];
  y[0] = s;
}
