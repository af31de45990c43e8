// argument: x input f32 b*n*d
// argument: y input f32 b*n*k
// argument: o output f32 b*n*k
// argument: b size
// argument: n size
// argument: d size
// argument: k size
// sizes: b=2 n=3 d=17 k=19
// sizes: b=3 n=9 d=4 k=5
// sizes: b=1 n=1 d=1 k=1
// sizes: b=1 n=4 d=40 k=7
// applies: reassociate(t)
// applies: reassociate(t); vectorise(L2,8); jam(L1,2); vectorise(L5,8); mask(L5); jam(L4,3)
// applies: reassociate(t); vectorise(L3,8); mask(L3); vectorise(L5,8)
// applies: reassociate(t); tile(L2,4); interchange(L1,L2t); jam(L0,2)
#include <stdint.h>
void reassociated(const float *x, const float *y, float *o, int64_t b, int64_t n, int64_t d, int64_t k) {
  float t[d * k];
  for (int64_t a = 0; a < b; ++a) {
    for (int64_t i = 0; i < d; ++i)
      for (int64_t j = 0; j < k; ++j) {
        float sum = 0.0f;
        for (int64_t m = 0; m < n; ++m)
          sum += x[(a * n + m) * d + i] * y[(a * n + m) * k + j];
        t[i * k + j] = sum;
      }
    for (int64_t m = 0; m < n; ++m)
      for (int64_t j = 0; j < k; ++j) {
        float sum = 0.0f;
        for (int64_t i = 0; i < d; ++i)
          sum += x[(a * n + m) * d + i] * t[i * k + j];
        o[(a * n + m) * k + j] = sum;
      }
  }
}
