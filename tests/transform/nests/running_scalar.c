// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=17
// sizes: n=1
// independent: L0
// applies: unroll(L0,4)
// declines: jam(L0,2): s carries a value from one iteration to the next
// declines: vectorise(L0,8): s carries a value
// declines: split_accumulators(L0,2): s carries a value
#include <stdint.h>
void running_scalar(const float *x, float *y, int64_t n) {
  float s = 0;
  for (int64_t i = 0; i < n; ++i) {
    s = s * 0.5f + x[i];
    y[i] = s;
  }
}
