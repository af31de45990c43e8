// argument: x input f32 n
// argument: y output f32 1
// argument: n size
// sizes: n=37
// declines: online(L0,L1,8): uses m for more than the factor
// applies: vectorise(L1,8)
// declines: math: no call that has a faster form
// Its expf is another function.
#include <stdint.h>
static float expf(float x) {
  return x * x + 1.0f;
}
void own_expf(const float *x, float *y, int64_t n) {
  float m = -1000.0f;
  for (int64_t i = 0; i < n; ++i)
    m = x[i] > m ? x[i] : m;
  float s = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);
  y[0] = s;
}
