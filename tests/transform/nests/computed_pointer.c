// argument: x input f32 n
// argument: y output f32 2*n zero
// argument: n size
// sizes: n=25
// sizes: n=1
// carried: L0
// applies: unroll(L0,4)
// declines: jam(L0,2): computed pointer
#include <stdint.h>
void computed_pointer(const float *x, float *y, int64_t n) {
  float *p = y;
  for (int64_t i = 0; i < n; ++i) {
    *p = x[i] + 1;
    p += x[i] > 0.0f ? 2 : 1;
  }
}
