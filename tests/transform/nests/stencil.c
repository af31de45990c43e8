// argument: x input f32 n*m
// argument: y output f32 n*m
// argument: z inout f32 n*m
// argument: n size
// argument: m size
// sizes: n=9 m=21
// sizes: n=1 m=1
// sizes: n=3 m=3
// independent: L0 L1 L2 L3
// carried: L4 L5
// applies: vectorise(L1,8); jam(L0,2)
// applies: interchange(L0,L1); tile(L0,4)
// applies: unroll(L5,2)
// declines: interchange(L4,L5): iterations may meet in z
// declines: jam(L4,2): iterations may meet in z
// declines: vectorise(L5,4): iterations may meet in z
#include <stdint.h>
void stencil(const float *x, float *y, float *z, int64_t n, int64_t m) {
  for (int64_t i = 1; i < n - 1; ++i)
    for (int64_t j = 1; j < m - 1; ++j)
      y[i * m + j] = 0.25f * (x[(i - 1) * m + j] + x[(i + 1) * m + j] + x[i * m + j - 1] + x[i * m + j + 1]);
  for (int64_t i = 0; i < n; ++i) {
    y[i * m] = 0;
    y[i * m + m - 1] = 0;
  }
  for (int64_t j = 0; j < m; ++j)
    y[j] = y[(n - 1) * m + j] = 0;
  for (int64_t i = 1; i < n; ++i)
    for (int64_t j = 0; j < m - 1; ++j)
      z[i * m + j] += 0.5f * z[(i - 1) * m + j + 1];
}
