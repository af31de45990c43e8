/* searches for the first place where something holds */
// argument: s input u8 n*(m+4)
// argument: q input u8 m
// argument: x input f32 n*m
// argument: a output i32 n
// argument: b output i32 n
// argument: c output f32 n
// argument: d output i32 n
// argument: e output i64 n
// argument: f output i32 n
// argument: g output i32 n
// argument: h output i32 n
// argument: n size
// argument: m size
// sizes: n=137 m=9
// sizes: n=5 m=200
// sizes: n=16 m=33
// sizes: n=3 m=0
// sizes: n=0 m=3
// applies: first(W0,0); vectorise(W0,8)
// applies: first(W0,32); vectorise(W0,8)
// applies: first(W1,128); vectorise(W1,16)
// applies: first(W1,0); vectorise(W1,32); mask(W1)
// applies: first(W2,32); vectorise(W2,8)
// applies: finish(W4); first(W3,0); vectorise(W3,8)
// applies: finish(W4); first(W3,32); vectorise(W3,8)
// applies: finish(W4); first(W3,32); narrow(W4,8); vectorise(W3,32)
// applies: finish(W4); first(W3,128); narrow(W4,16); vectorise(W3,16); mask(W3)
// applies: first(W5,32); vectorise(W5,8)
// declines: first(W3,0): does more than look
// declines: first(W6,0): ends early in more than one place
// declines: first(W7,0): may lie outside its array
// applies: first(W8,0); vectorise(W8,8)
// applies: first(W8,32); vectorise(W8,16); mask(W8)
// applies: first(W9,32); vectorise(W9,8); vectorise(W9w,8)
// applies: first(W10,0); vectorise(W10,8)
// declines: first(W11,0): looks at no place
// declines: first(W5,-1): no move
// declines: vectorise(L3,128): a while in more than 64 lanes
#include <stdint.h>
static int matches(const uint8_t *s, const uint8_t *q, int64_t n, int64_t allowed) {
  int64_t bad = 0;
  while (n--) {
    if (*s++ != *q++)
      if (++bad > allowed)
        return 0;
  }
  return 1;
}
void looks_for(const uint8_t *s, const uint8_t *q, const float *x, int32_t *a, int32_t *b, float *c, int32_t *d, int64_t *e, int32_t *f, int32_t *g, int32_t *h, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) { /* the first above */
    a[i] = -1;
    for (int64_t k = 0; k < m; ++k)
      if (x[i * m + k] > 1.0f) {
        a[i] = (int32_t)k;
        break;
      }
  }
  for (int64_t i = 0; i < n; ++i) { /* any, all */
    int ok = 1;
    for (int k = 0; k < m; ++k)
      if (s[i * m + k] >= 253) {
        ok = 0;
        break;
      }
    b[i] = ok;
  }
  for (int64_t i = 0; i < n; ++i) { /* what stands there */
    float at = 0.0f;
    for (int64_t k = 0; k < m; ++k) {
      const float v = x[i * m + k] * 2.0f;
      if (v > 3.5f) {
        at = x[i * m + k];
        break;
      }
    }
    c[i] = at;
  }
  for (int64_t i = 0; i < n; ++i) { /* a word in a text */
    int64_t k = 0;
    int32_t found = (int32_t)m;
    const int64_t ahead = 1;
    while (k + ahead <= m) {
      if (matches(s + i * (m + 4) + k, q, 4 < m ? 4 : m, 2)) {
        found = (int32_t)k;
        break;
      }
      k++;
    }
    d[i] = found;
  }
  for (int64_t i = 0; i < n; ++i) { /* from a place of its own on */
    int64_t at = -1;
    const int64_t from = m / 4;
    for (int64_t k = from; k < m; ++k)
      if (x[i * m + k] < 0.0f) {
        at = k;
        break;
      }
    e[i] = at;
  }
  for (int64_t i = 0; i < n; ++i) { /* two ends */
    f[i] = 0;
    for (int64_t k = 0; k < m; ++k) {
      if (x[i * m + k] > 1.5f) {
        f[i] = 1;
        break;
      }
      if (x[i * m + k] < -1.5f)
        break;
    }
  }
  for (int64_t i = 0; i < n; ++i) { /* a sentinel at the end */
    g[i] = 0;
    for (int64_t k = 0; k < n * m + 8; ++k)
      if (k >= m || x[i * m + k] > 1.0f) {
        g[i] = 1;
        break;
      }
  }
  for (int64_t i = 0; i < n; ++i) /* what only the place knows */
    for (int64_t k = 0; k < m; ++k) {
      const float v = x[i * m + k] * 0.5f;
      if (v > 0.7f) {
        c[i] += v;
        break;
      }
    }
  for (int64_t i = 0; i < n; ++i) { /* adds on its way */
    int32_t sum = 0;
    for (int64_t k = 0; k < m; ++k) {
      sum += q[k];
      if (x[i * m + k] > 1.0f)
        break;
    }
    h[i] = sum;
  }
  for (int64_t i = 0; i < n; ++i) { /* where it ended */
    int64_t k = 0;
    for (; k < m; ++k)
      if (x[i * m + k] > 1.0f)
        break;
    h[i] += (int32_t)k;
  }
  for (int64_t i = 0; i < n; ++i) /* in no array */
    for (int64_t k = 0; k < m; ++k)
      if (k * k > i) {
        h[i] += (int32_t)k;
        break;
      }
}
