// argument: x input i32 n
// argument: y output i32 n
// argument: f output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// applies: unroll(L0,2)
// applies: tile(L0,4); unroll(L0,3)
#include <stdint.h>
#include <math.h>
#define TAGGED(v) ((v) + (int32_t)sizeof(v)) /* a part that is kept as it is has no text of its own */
void macro_parts(const int32_t *x, int32_t *y, float *f, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t t;
    y[i] = TAGGED(x[i]) * 2 + (t = (int32_t)i, t + 1);
    f[i] = x[i] > 50 ? NAN : 1.0f;
  }
}
