// argument: x input f32 m*n
// argument: y output f32 m*n
// argument: z inout f32 m*n
// argument: w output f32 n
// argument: m size
// argument: n size
// sizes: m=5 n=64
// sizes: m=3 n=37
// sizes: m=1 n=1
// independent: L0 L1
// applies: vectorise(L1,16); stream(L0)
// applies: vectorise(L1,8); jam(L0,2); stream(L0)
// applies: tile(L1,32); vectorise(L1,4); stream(L1t); unroll(L0,2)
// applies: vectorise(L1,2); stream(L1); jam(L1,2)
// declines: stream(L0): stores no whole vectors
// declines: vectorise(L3,8); stream(L2): is read again
// declines: vectorise(L5,8); stream(L4): written again
// declines: vectorise(L1,8); stream(L0); stream(L0): written again
#include <stdint.h>
void streaming(const float *x, float *y, float *z, float *w, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      y[i * n + j] = 2.0f * x[i * n + j] + 1.0f;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      z[i * n + j] += x[i * n + j];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      w[j] = x[i * n + j];
}
