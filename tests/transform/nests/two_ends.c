// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=36
// sizes: n=1
#include <stdint.h>
void two_ends(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i];
  for (int64_t i = 0, j = n - 1; i < j; ++i, --j) {
    const float t = y[i];
    y[i] = y[j];
    y[j] = t;
  }
}
