/* branches, loops and other whiles inside whiles that lanes leave one by one */
// argument: x input f32 n
// argument: z input f32 n*m
// argument: k input i32 n*m small
// argument: w input i32 m small
// argument: a output i32 n
// argument: b output f64 n
// argument: c output i32 n
// argument: d output i64 n
// argument: e output i32 n
// argument: f output f32 n
// argument: g output i32 n
// argument: h output f32 n
// argument: n size
// argument: m size
// sizes: n=67 m=5
// sizes: n=1 m=1
// sizes: n=16 m=33
// sizes: n=3 m=0
// sizes: n=9 m=8
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L2,8); mask(L2)
// applies: vectorise(L3,16); mask(L3)
// applies: vectorise(L4,4); mask(L4); jam(L4,2)
// applies: vectorise(L5,8); mask(L5)
// applies: vectorise(L6,8); mask(L6)
// declines: vectorise(L1,8): a guarded load
#include <stdint.h>
#include <math.h>
void escapes_nested(const float *x, const float *z, const int32_t *k, const int32_t *w, int32_t *a, double *b, int32_t *c, int64_t *d, int32_t *e, float *f, int32_t *g, float *h, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) { /* branches inside; one leaves, from within another one */
    float v = x[i] * 3.0f;
    int32_t odd = 0, even = 0;
    for (int32_t t = 0; t < 40; ++t) {
      if (v > 1.0f) {
        v = v * 0.5f;
        odd += t;
        if (odd > 60)
          break;
        even -= 1;
      } else {
        v = 3.0f * v + 0.7f;
        even++;
        if (even == 9)
          break;
      }
      if (t == 35)
        break;
      odd += 2;
    }
    a[i] = odd * 100 + even;
  }
  for (int64_t i = 0; i < n; ++i) { /* its length is asked for by what it loads */
    int64_t j = 0;
    while (j < m && k[i * m + j] == w[j])
      j++;
    d[i] = j;
  }
  for (int64_t i = 0; i < n; ++i) { /* a loop and a while inside a while, doubles beside floats */
    double s = x[i];
    int32_t rounds = 0;
    while (s < 50.0 && rounds < 12) {
      for (int32_t t = 0; t < 3; ++t)
        s += 0.3 * t;
      double r = s;
      while (r > 7.0)
        r -= 5.0;
      s += fabs(r);
      rounds++;
    }
    b[i] = s;
    c[i] = rounds;
  }
  for (int64_t i = 0; i < n; ++i) { /* a while where something holds alone */
    int32_t left = 17, count = 0;
    if (x[i] > 0.0f) {
      while (left > 1) {
        left = left - left / 3 - 1;
        count++;
      }
      int32_t q = 0;
      float s = 0.0f;
      while (q < 4) {
        s += x[i];
        if (s > 2.0f)
          break;
        q++;
      }
      count += s > 2.0f;
    }
    e[i] = count * 10 + left;
  }
  for (int64_t i = 0; i < n; ++i) { /* the first that is too large, and how many before were negative */
    float most = -1.0f;
    for (int64_t j = 0; j < m; ++j) {
      if (z[i * m + j] < 0.0f)
        continue;
      if (z[i * m + j] > 0.7f)
        break;
      if (z[i * m + j] > most)
        most = z[i * m + j];
    }
    f[i] = most;
  }
  for (int64_t i = 0; i < n; ++i) { /* a count that goes on from one round to the next */
    float v = x[i];
    int32_t q = 0;
    for (int32_t round = 0; round < 3; ++round) {
      while (q < 9) {
        v = v * 0.5f + 0.25f;
        q += 1;
        if (v > 0.45f * (float)(round + 1))
          break;
      }
      v -= 0.3f;
    }
    h[i] = v;
  }
  for (int64_t i = 0; i < n; ++i) { /* steps of its own in each lane */
    int32_t v = (int32_t)(x[i] * 100.0f);
    v = v < 0 ? -v : v;
    int32_t steps = 0;
    while (v > 1) {
      v = v % 2 == 0 ? v / 2 : 3 * v + 1;
      steps++;
    }
    g[i] = steps;
  }
}
