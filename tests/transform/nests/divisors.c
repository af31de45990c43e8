// argument: x input f32 n*m
// argument: y output f32 n*m
// argument: k input i32 n*m small
// argument: q output i32 n*m
// argument: n size
// argument: m size
// sizes: n=5 m=67
// sizes: n=3 m=1
// sizes: n=2 m=16
// applies: math
// applies: math; vectorise(L2,8); jam(L0,2)
// applies: vectorise(L2,8); math
#include <stdint.h>
void divisors(const float *x, float *y, const int32_t *k, int32_t *q, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    float d = 3.0f + x[i * m] * x[i * m];
    const double e = 2.0 + d;
    const int32_t f = 7 + k[i] * k[i];
    for (int64_t j = 0; j < m; ++j) {
      y[i * m + j] = x[i * m + j] / d + (float)(x[i * m + j] / e);
      q[i * m + j] = k[i * m + j] / f;
      if (q[i * m + j] > 100)
        d = d + 1.0f;
    }
    for (int64_t j = 0; j < m; ++j) {
      float g = d;
      for (int64_t t = 0; t < 3; ++t)
        y[i * m + j] = y[i * m + j] / g / d;
    }
  }
}
