// argument: x input f32 n
// argument: y output f32 1 exact
// argument: z output f32 1
// argument: n size
// sizes: n=25
// declines: online(L0,L1,8): the result must be exact
#include <math.h>
#include <stdint.h>
void online_exact(const float *x, float *y, float *z, int64_t n) {
  float m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  float s = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);
  y[0] = m;
  z[0] = s;
}
