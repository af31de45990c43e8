// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: unroll(L0,4)
#include <math.h>
#include <stdint.h>
void pure_functions(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = asinhf(x[i]) + copysignf(acoshf(1.0f + fabsf(x[i])), x[i]) + atanhf(x[i] / (1.0f + fabsf(x[i])));
}
