// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// argument: k size
// sizes: n=37 k=5
// sizes: n=1 k=1
// independent: L0
// applies: jam(L0,4)
#include <stdint.h>
void around(const float *x, float *y, int64_t n, int64_t k) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[(i + k) % n] - x[i];
}
