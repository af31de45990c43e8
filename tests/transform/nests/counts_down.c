// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
#include <stdint.h>
void counts_down(const float *x, float *y, int64_t n) {
  for (uint64_t i = (uint64_t)n; i-- > 0;)
    y[i] = x[i] * 2.0f;
  for (int64_t i = n - 1; i >= 0; --i)
    y[i] = y[i] + x[0];
}
