// argument: x input f32 n alias
// argument: y output f32 n
// argument: n size
// sizes: n=25
// sizes: n=1
// carried: L0
// applies: unroll(L0,4)
// declines: jam(L0,2): y and x may overlap
// declines: pack(L0,x,L0): x is no array of the caller's that stands alone
// declines: restrict: x may alias
#include <stdint.h>
void alias(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2;
}
