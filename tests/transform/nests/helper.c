// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=21
// sizes: n=1
// independent: L0
// applies: unroll(L0,4)
// applies: tile(L0,8); unroll(L0,3)
// applies: jam(L0,2)
#include <stdint.h>
static const float weights[3] = {0.25f, 0.5f, 0.25f};
static inline float weigh(float v, int64_t i) { return v * weights[i % 3]; }
void helper(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = weigh(x[i], i);
}
