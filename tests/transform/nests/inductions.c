/* what grows by the same in each round, before and behind where it grows; what does not, or is looked at by others, stays */
// argument: x input f32 n*m
// argument: y output f32 n*m
// argument: q output f32 4*n
// argument: k output i32 n*m
// argument: c output i32 n*m zero
// argument: e output i64 4
// argument: w output f32 n*m
// argument: n size
// argument: m size
// sizes: n=19 m=8
// sizes: n=3 m=1
// sizes: n=1 m=33
// sizes: n=2 m=0
// independent: L0 L1 L2 L3 L6 L9 L10
// carried: L7
// applies: vectorise(L0,8); mask(L0)
// applies: jam(L1,2); vectorise(L2,8)
// applies: vectorise(L3,8); unroll(L4,2)
// applies: vectorise(L10,8); jam(L9,2)
// declines: vectorise(L7,8): carries
#include <stdint.h>
void inductions(const float *x, float *y, float *q, int32_t *k, int32_t *c, int64_t *e, float *w, int64_t n, int64_t m) {
  for (int64_t i = 0, o = 0; i < n; i++, o += 4) { /* two in the head of the loop */
    q[o] = (float)o;
    q[o + 1] = 1.0f;
    q[o + 2] = (float)i;
    q[o + 3] = 3.0f;
  }
  int64_t at = 0;
  for (int64_t i = 0; i < n; ++i) /* one that runs through two loops */
    for (int64_t j = 0; j < m; ++j)
      y[at++] = x[i * m + j] * 2.0f;
  e[0] = at;
  int small = 5, step = 3;
  const float *p = x;
  for (int64_t i = 0; i < n; ++i) { /* narrower than the index, and a pointer beside */
    for (int64_t j = 0; j < m; ++j)
      k[i * m + j] = small + (int)j;
    small += step;
    for (int64_t j = 0; j < m; ++j)
      k[i * m + j] -= small / 2;
    p += m;
  }
  e[1] = small + (p - x);
  int64_t twice = 1;
  for (int64_t i = 2; i < n * m; ++i) { /* its end is a product, which may be none */
    twice += 2;
    k[i] += (int32_t)twice;
    twice += 0;
  }
  int64_t found = 0;
  for (int64_t i = 0; i < n * m; ++i)
    if (x[i] > 0.2f)
      c[found++] = (int32_t)i;
  e[2] = found;
  unsigned wraps = 4294967290U;
  for (int64_t i = 0; i < n; ++i)
    wraps += 3;
  e[3] = (int64_t)wraps + twice;
  const float *from = x;
  float *to = w;
  for (int64_t i = 0; i < n; ++i) { /* pointers that walk */
    for (int64_t j = 0; j < m; ++j)
      *to++ = *from++ * 3.0f;
    if (m > 0)
      to[-1] = 1.0f;
  }
}
