/* loops that work until something holds */
// argument: s input u8 n*m
// argument: x input f32 n*m
// argument: k input i32 n*m small
// argument: a output i32 n
// argument: b output f32 n
// argument: c output i32 n
// argument: d inout i32 n*m
// argument: e output i32 n
// argument: f output i32 n
// argument: g output i32 n
// argument: n size
// argument: m size
// sizes: n=37 m=19
// sizes: n=4 m=300
// sizes: n=16 m=16
// sizes: n=3 m=1
// sizes: n=3 m=0
// sizes: n=0 m=4
// applies: first(W0,0); vectorise(W0,16); vectorise(W0w,16)
// applies: first(W0,128); vectorise(W0,64); jam(W0,2); vectorise(W0w,32); mask(W0w)
// applies: first(W0,0); split_accumulators(W0w,2); jam(L0,2)
// applies: vectorise(L0,16); mask(L0)
// applies: first(W1,0); vectorise(W1,8); vectorise(W1w,8)
// applies: first(W1,64); vectorise(W1,8); vectorise(W1w,16); unroll(W1w,2)
// applies: first(W2,0); vectorise(W2,8); vectorise(W2w,8)
// declines: first(W3,0): does more than look for a place
// declines: first(W4,0): does more than look for a place
// declines: first(W5,0): does more than look for a place
// applies: first(W6,32); vectorise(W6w,8)
#include <stdint.h>
static int32_t check(const uint8_t *s, int64_t len) {
  int32_t sum = 0;
  int alternate = 0;
  for (int64_t i = len - 1; i >= 0; --i) {
    if (s[i] < 3 || s[i] > 98)
      return -1 - (int32_t)i;
    int d = s[i] % 10;
    if (alternate) {
      d *= 2;
      if (d > 9)
        d -= 9;
    }
    sum += d;
    alternate = !alternate;
  }
  return sum % 10 == 0 ? 1 : 0;
}
void works_until(const uint8_t *s, const float *x, const int32_t *k, int32_t *a, float *b, int32_t *c, int32_t *d, int32_t *e, int32_t *f, int32_t *g, int64_t n, int64_t m) {
  for (int64_t r = 0; r < n; ++r)
    a[r] = check(s + r * m, m);
  for (int64_t r = 0; r < n; ++r) { /* some of the work before, some behind; what is told is half of it */
    float sum = 0, last = -1.0f;
    int odd = 1;
    for (int64_t i = 0; i < m; ++i) {
      const float v = x[r * m + i] * 0.5f;
      const float w = v + 0.25f;
      sum += odd ? w : 2.0f * w;
      if (v > 1.4f) {
        last = sum + w + odd;
        break;
      }
      sum -= v;
      odd ^= 1;
    }
    b[r] = last + sum;
  }
  for (int64_t r = 0; r < n; ++r) { /* a sum, a largest, a count */
    int32_t sum = 0, most = 0, count = 0;
    for (int64_t i = 0; i < m; ++i) {
      const int32_t v = k[r * m + i];
      if (v == 7)
        break;
      sum += v;
      most = v > most ? v : most;
      if (v & 1)
        ++count;
    }
    c[r] = sum + 1000 * most + 100000 * count;
  }
  for (int64_t r = 0; r < n; ++r) /* stores on its way */
    for (int64_t i = 0; i < m; ++i) {
      if (d[r * m + i] > 90)
        break;
      d[r * m + i] += 1;
    }
  for (int64_t r = 0; r < n; ++r) { /* where it ends hangs on the work */
    int32_t sum = 0;
    for (int64_t i = 0; i < m; ++i) {
      sum += k[r * m + i];
      if (sum > 20)
        break;
    }
    e[r] = sum;
  }
  for (int64_t r = 0; r < n; ++r) { /* what is compared has been changed */
    int32_t sum = 0;
    for (int64_t i = 0; i < m; ++i) {
      int32_t v = k[r * m + i];
      if (v > 3)
        v -= 3 + sum % 2;
      if (v == 2)
        break;
      sum += v;
    }
    f[r] = sum;
  }
  for (int64_t r = 0; r < n; ++r) { /* compared before it is changed */
    int32_t sum = 0;
    for (int64_t i = 0; i < m; ++i) {
      int32_t v = k[r * m + i] - 1;
      if (v > 5) {
        sum += 100 * v;
        break;
      }
      v *= v;
      for (int j = 0; j < 3; ++j)
        sum += v + j;
    }
    g[r] = sum;
  }
}
