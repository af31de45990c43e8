// argument: x input f32 n
// argument: y output f32 n
// argument: z output f32 n
// argument: w output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0 L1 L2
// applies: fuse(L0,L1)
// applies: fuse(L0,L1); vectorise(L0,8)
// applies: fuse(L0,L1); fission(L0,1); jam(L0,2)
// declines: fuse(L1,L2): together they would carry a dependence
// declines: fuse(L0,L2): L2 does not follow L0
// declines: fuse(L0,L3): L3 does not follow
// declines: fission(L0,1): has no 2 statements
// declines: fission(L1,1): both parts of L1 need v
#include <stdint.h>
void two_passes(const float *x, float *y, float *z, float *w, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  for (int64_t j = 0; j < n; ++j) {
    const float v = y[j] + 1.0f;
    z[j] = v * x[j];
  }
  for (int64_t i = 0; i < n; ++i)
    w[i] = z[n - 1 - i] + y[i];
  for (int64_t i = 1; i < n; ++i)
    w[i] = w[i] + z[i];
}
