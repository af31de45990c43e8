// argument: x inout f32 n
// argument: y output f32 n
// argument: n size
// argument: steps size
// sizes: n=23 steps=4
// sizes: n=1 steps=1
// sizes: n=40 steps=3
// independent: L0 L1 L2
// applies: vectorise(L0,8); vectorise(L1,16)
// applies: jam(L1,4); split_accumulators(L2,3)
#include <stdint.h>
void outer_while(float *x, float *y, int64_t n, int64_t steps) {
  int64_t left = steps;
  float err = 1.0f;
  while (left > 0 && err > 1e-12f) {
    for (int64_t i = 0; i < n; ++i)
      y[i] = 0.5f * x[i] + 1.0f;
    for (int64_t i = 0; i < n; ++i)
      x[i] = y[i] * 0.9f;
    err = 0.0f;
    for (int64_t i = 0; i < n; ++i)
      err += y[i] * y[i];
    left -= 1;
  }
}
