// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=36
// sizes: n=1
// independent: L0
// applies: unroll(L0,2)
#include <stdint.h>
void by_threes(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = 0.0f;
  for (int64_t i = 0; i + 2 < n; i += 3) {
    const float mean = (x[i] + x[i + 1] + x[i + 2]) * 0.25f;
    y[i] = x[i] - mean;
    y[i + 1] = x[i + 1] - mean;
    y[i + 2] = x[i + 2] - mean;
  }
}
