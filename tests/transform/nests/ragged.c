/* loops whose ends differ from lane to lane */
// argument: x input f32 n*m
// argument: w input f32 m
// argument: len input i32 n small
// argument: a output f32 n
// argument: b output f64 n
// argument: c output f32 n
// argument: d output i32 n
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=1 m=1
// sizes: n=16 m=33
// sizes: n=3 m=0
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L2,4); mask(L2)
// applies: vectorise(L5,8)
// declines: vectorise(L7,4): a guarded load
#include <stdint.h>
void ragged(const float *x, const float *w, const int32_t *len, float *a, double *b, float *c, int32_t *d, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) { /* a power of its own */
    float p = 1.0f;
    for (int32_t k = 0; k < len[i]; ++k)
      p = p * 0.5f + 0.25f;
    a[i] = p;
  }
  for (int64_t i = 0; i < n; ++i) { /* Newton's steps around a sum of its own length */
    double y = 0.05;
    for (int it = 0; it < 20; ++it) {
      double v = 0.0, s = 0.0, f = 1.0;
      for (int32_t t = 1; t <= len[i] + 2; ++t) {
        f *= 1.0 / (1.0 + y);
        v += f * 0.04;
        s -= t * f * 0.04;
        if (t == len[i] + 2)
          v += f;
      }
      double step = (v - 0.9) / (s - 1.0);
      y -= step;
      if (step < 1e-9 && step > -1e-9)
        break;
    }
    b[i] = y;
  }
  for (int64_t i = 0; i < n; ++i) { /* from a place of its own, twice the loop */
    float p = 0.0f;
    for (int32_t k = len[i]; k < 12; ++k)
      p += (float)k;
    if (p > 10.0f)
      for (int32_t k = 0; k < len[i]; ++k)
        p -= 1.0f;
    c[i] = p;
  }
  for (int64_t i = 0; i < n; ++i) { /* what lies behind a lane's end may not be there */
    int32_t s = 0;
    for (int64_t k = 0; k < i + 1; ++k)
      s += len[i - k];
    d[i] = s;
  }
}
