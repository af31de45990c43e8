// argument: x input f32 n
// argument: y inout f32 n*4
// argument: n size
// argument: gap size
// sizes: n=9 gap=0
// sizes: n=9 gap=2
// sizes: n=1 gap=1
// carried: L0
// independent: L1
// applies: unroll(L0,3)
// applies: jam(L1,3)
// declines: jam(L0,2): iterations may meet in y
#include <stdint.h>
void strided(const float *x, float *y, int64_t n, int64_t gap) {
  for (int64_t i = 0; i < n; ++i)
    y[i * gap] = y[i * gap] * 0.5f + x[i];
  for (int64_t i = 0; i < n; ++i)
    y[4 * i + 2] = y[4 * i] + y[4 * i + 3] * x[i];
}
