/* variables that hold the index of the round before */
// argument: x input f32 n*m
// argument: y input f32 n
// argument: a output f32 n*m
// argument: b output f32 m
// argument: c output i32 m
// argument: d output f32 n*m
// argument: e output i64 n
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=5 m=33
// sizes: n=1 m=1
// sizes: n=3 m=0
// sizes: n=0 m=3
// independent: L0 L1 L2 L3 L4 L5
// declines: vectorise(L6,4): carries a value
// applies: clip(L1)
// applies: clip(L1); vectorise(L1,8)
// applies: vectorise(L2,8)
// applies: clip(L3); vectorise(L2,8); jam(L2,2); math
// applies: vectorise(L2,16); mask(L2)
#include <math.h>
#include <stdint.h>
void lags(const float *x, const float *y, float *a, float *b, int32_t *c, float *d, int64_t *e, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) /* round a closed line */
    for (int64_t k = 0, j = m - 1; k < m; j = k++)
      a[i * m + k] = x[i * m + j] - x[i * m + k];
  for (int64_t p = 0; p < m; ++p) { /* points beside a polygon */
    const float at = (float)p * 0.1f;
    float nearest = 1e30f;
    int inside = 0;
    for (int64_t i = 0, j = n - 1; i < n; j = i++) {
      const float w = (at - y[i]) / (y[j] * y[j] + 1.0f);
      if (w * w < nearest)
        nearest = w * w;
      if ((y[i] > at) != (y[j] > at))
        inside = !inside;
    }
    b[p] = sqrtf(nearest);
    c[p] = inside;
  }
  for (int64_t i = 0; i < n; ++i) { /* used before and after it is set */
    int64_t last = 0;
    for (int64_t k = 0; k < m; ++k) {
      d[i * m + k] = x[i * m + last];
      last = k;
      d[i * m + k] += x[i * m + last] * 0.5f;
    }
  }
  int64_t seen = -1; /* asked for afterwards */
  for (int64_t i = 0; i < n; ++i) {
    e[i] = seen;
    seen = i;
  }
  if (n > 0)
    e[0] = seen;
}
