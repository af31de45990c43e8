// argument: x input f32 n
// argument: k output i32 n
// argument: y output f32 n zero
// argument: n size
// sizes: n=37
// sizes: n=1
// declines: recompute(L1,L2): w is what an earlier round has left
// declines: recompute(L3,L4): L4 updates whole numbers in k
#include <stdint.h>
void recompute_rounds(const float *x, int32_t *k, float *y, int64_t n) {
  float w[64];
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t i = 0; i < n; ++i)
      w[i] = r > 0 ? w[i] * 0.5f : x[i];
    for (int64_t i = 0; i < n; ++i)
      y[i] += w[i];
  }
  for (int64_t i = 0; i < n; ++i)
    k[i] = (int32_t)(x[i] * 100.0f);
  for (int64_t i = 0; i < n; ++i)
    k[i] += 3;
}
