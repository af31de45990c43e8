/* a divisor outside the function that a construct left as it is changes by a call */
// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=17
// declines: math: no call
#include <stdint.h>
static float scale;
static void next(float by) { static int k; ++k; scale += by; }
void math_opaque2(const float *x, float *y, int64_t n) {
  scale = 1.0f;
  for (int64_t i = 0; i < n; ++i) {
    switch (i & 3) {
      case 1: next(1.0f); break;
      default: break;
    }
    y[i] = x[i] / scale;
  }
}
