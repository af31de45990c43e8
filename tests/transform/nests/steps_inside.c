/* changes inside expressions and conditions */
// argument: x input f32 n*m
// argument: a output f32 n*m
// argument: b output f32 n*m
// argument: c output f32 n*m
// argument: d output f32 n
// argument: e output i64 n
// argument: f output i64 n
// argument: g output i32 n
// argument: h output f32 n*m
// argument: n size
// argument: m size
// sizes: n=13 m=7
// sizes: n=1 m=1
// sizes: n=3 m=0
// sizes: n=2 m=33
// independent: L0
// independent: L1
// independent: L3
// independent: L5
// independent: L6
// independent: L8
// independent: L9
// independent: L7
// applies: vectorise(L0,4); mask(L0)
// applies: vectorise(L1,8)
// applies: vectorise(L3,8); mask(L3)
// applies: vectorise(L4,8)
// declines: vectorise(L6,8): s is no scalar
// applies: vectorise(L8,16)
// applies: vectorise(L9,8); mask(L9)
#include <stdint.h>
#include <stddef.h>
void steps_inside(const float *x, float *a, float *b, float *c, float *d, int64_t *e, int64_t *f, int32_t *g, float *h, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t k = m;
    while (k-- > 0)
      a[i * m + k] = x[i * m + k] * 2.0f;
  }
  for (int64_t i = 0; i < n; ++i) {
    for (size_t k = (size_t)m; k-- > 0;) {
      if (x[i * m + (int64_t)k] < 0.0f) {
        b[i * m + (int64_t)k] = 0.0f;
        continue;
      }
      b[i * m + (int64_t)k] = x[i * m + (int64_t)k];
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t k = m;
    while (--k >= 0)
      c[i * m + k] = x[i * m + k] + 1.0f;
  }
  for (int64_t i = 0; i < n; ++i) { /* the last of a row that is positive */
    const float *s = x + (i + 1) * m;
    float last = -1.0f;
    for (int64_t left = m; left-- > 0;) {
      const float v = *--s;
      if (v > 0.5f) {
        last = v;
        break;
      }
    }
    d[i] = last;
  }
  for (int64_t i = 0; i < n; ++i) { /* where the count stands after it */
    int64_t k = m;
    while (k-- > 0)
      if (x[i * m + k] > 1.0f)
        break;
    e[i] = k;
    int64_t j = m, turns = 0;
    while (j-- > 0)
      turns += x[i * m + j] > 0.0f;
    f[i] = turns * 1000 + j;
  }
  for (int64_t i = 0; i < n; ++i) { /* gives up */
    int32_t bad = 0, seen = 0;
    for (int64_t k = 0; k < m; ++k) {
      if (x[i * m + k] > 0.0f && ++bad >= 3)
        break;
      if (x[i * m + k] < 0.0f)
        if (seen++ >= 2)
          break;
    }
    g[i] = bad * 100 + seen;
  }
  int64_t all = n * m;
  const float *from = x;
  float *to = h;
  while (all--)
    *to++ = *from++ * 0.5f;
}
