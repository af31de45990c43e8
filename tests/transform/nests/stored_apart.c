/* rows in the lanes: what they store stands a row apart, or every third place; some store under a condition */
// argument: x input f32 n*m
// argument: k input i32 n*m small
// argument: y output f32 n*m
// argument: z inout i32 3*n
// argument: b output i8 2*n
// argument: w inout f32 n*m
// argument: p output i32 n*m
// argument: n size
// argument: m size
// sizes: n=19 m=5
// sizes: n=8 m=3
// sizes: n=1 m=7
// sizes: n=33 m=1
// sizes: n=3 m=0
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L0,4); jam(L0,2)
// applies: vectorise(L2,8); mask(L2)
// applies: vectorise(L3,8)
// applies: vectorise(L3,4); mask(L3)
#include <stdint.h>
void stored_apart(const float *x, const int32_t *k, float *y, int32_t *z, int8_t *b, float *w, int32_t *p, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    float before = 0.0f, sum = 0.0f;
    for (int64_t t = 0; t < m; ++t) {
      const float v = 0.5f * before + x[i * m + t];
      before = v;
      sum += v;
      y[i * m + t] = v - sum;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    z[3 * i + 1] += 7;
    if (i % 3 == 1)
      z[3 * i] -= (int32_t)i * 5;
    else
      z[3 * i + 2] = (int32_t)i;
    b[2 * i] = (int8_t)(z[3 * i + 1] * 3);
    b[2 * i + 1] = 1;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t t = 0; t < m; ++t) {
      if (k[i * m + t] > 0 && k[i * m + t] < 100)
        w[i * m + t] *= 2.0f;
      p[i * m + t] = k[i * m + t] > 3;
    }
  for (int64_t i = 0; i < n * m; ++i) {
    const int64_t to = n * m - 1 - i;
    p[to] += k[to];
  }
}
