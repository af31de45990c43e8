// argument: x input f32 n*4
// argument: y output f32 n
// argument: n size
// sizes: n=11
// sizes: n=1
// independent: L0
// applies: jam(L0,2)
// applies: unroll(L1,2); unroll(L2,2)
#include <stdint.h>
void local_array(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float t[4];
    for (int j = 0; j < 4; ++j)
      t[j] = x[i * 4 + j] * (float)(j + 1);
    float s = 0;
    for (int j = 0; j < 4; ++j)
      s += t[3 - j] * t[j];
    y[i] = s;
  }
}
