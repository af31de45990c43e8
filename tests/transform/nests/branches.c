// argument: x input f32 n
// argument: g input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=41
// sizes: n=1
// sizes: n=64
// independent: L0
// applies: vectorise(L0,16)
// applies: jam(L0,4)
// applies: if_convert(B1)
// applies: if_convert(B1); vectorise(L0,8); jam(L0,2)
// declines: if_convert(B2): does more than set scalars
#include <stdint.h>
void branches(const float *x, const float *g, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float v = x[i], w = g[i];
    float r = 0.5f;
    if (v > 0) {
      r = v * w;
      if (w > 1.0f && v < 2.0f) {
        r += 3.0f;
      }
    } else {
      r = -v;
    }
    y[i] = r;
    if (r > 4.0f)
      y[i] = 4.0f;
  }
}
