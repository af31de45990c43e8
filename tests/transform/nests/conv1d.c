// argument: x input f32 c*(t+2)
// argument: w input f32 o*c*3
// argument: bias input f32 o
// argument: y output f32 o*t
// argument: c size
// argument: o size
// argument: t size
// sizes: c=3 o=5 t=27
// sizes: c=1 o=1 t=1
// independent: L0 L1 L2 L3
// applies: vectorise(L1,8); jam(L0,2)
// applies: unroll(L3,3); vectorise(L1,16)
// applies: interchange(L2,L3)
// applies: interchange(L0,L1); jam(L0,2)
#include <stdint.h>
void conv1d(const float *x, const float *w, const float *bias, float *y, int64_t c, int64_t o, int64_t t) {
  for (int64_t f = 0; f < o; ++f)
    for (int64_t i = 0; i < t; ++i) {
      float acc = bias[f];
      for (int64_t d = 0; d < c; ++d)
        for (int k = 0; k < 3; ++k)
          acc += w[(f * c + d) * 3 + k] * x[d * (t + 2) + i + k];
      y[f * t + i] = acc;
    }
}
