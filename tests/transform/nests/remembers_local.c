// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// applies: unroll(L0,3); jam(L1,2)
// applies: tile(L0,4); unroll(L0,2)
// declines: vectorise(L0,8): last carries a value
// declines: jam(L0,2): last carries a value
#include <stdint.h>
void remembers_local(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    static float last = 0.0f;
    const float before = i > 0 ? last : 0.0f;
    last = x[i];
    y[i] = x[i] - before;
  }
  for (int64_t i = 0; i < n; ++i) {
    static const float half = 0.5f;
    y[i] = y[i] * half;
  }
}
