/* what does not overflow in the reference overflows nowhere: beyond early ends, in partial sums, in narrow types */
// argument: x input i32 n*m large
// argument: b input i8 n*m large
// argument: k input i32 n
// argument: a output i32 n
// argument: c output i32 n
// argument: d output i32 n
// argument: e output i8 n
// argument: f inout i8 n*m large
// argument: g output i64 n
// argument: h output i64 n
// argument: n size
// argument: m size
// sizes: n=37 m=19
// sizes: n=5 m=33
// sizes: n=1 m=1
// sizes: n=3 m=0
// sizes: n=0 m=3
// applies: first(W0,0); vectorise(W0,8)
// applies: first(W0,32); jam(L0,2)
// applies: first(W1,0); vectorise(W1,8); vectorise(W1w,8)
// applies: finish(W2); vectorise(W2,8)
// applies: finish(W2); vectorise(L1,8)
// applies: vectorise(L3,16); mask(L3)
// applies: vectorise(L3,32); unroll(L3,2); jam(L2,2)
// declines: vectorise(L4,8): a division by something that varies
// applies: vectorise(L5,8); mask(L5)
#include <stdint.h>
void overflows(const int32_t *x, const int8_t *b, const int32_t *k, int32_t *a, int32_t *c, int32_t *d, int8_t *e, int8_t *f, int64_t *g, int64_t *h, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) { /* always ends at the first */
    int32_t at = -1, s = 0;
    for (int64_t j = 0; j < m; ++j)
      if (x[i * m + j] * (int32_t)j > -5) {
        at = (int32_t)j;
        break;
      }
    a[i] = at;
    for (int64_t j = 0; j < m; ++j) {
      int32_t v = x[i * m + j] * (int32_t)(j * 3);
      if (v > -1) {
        s += v + 1;
        break;
      }
      s += 3;
    }
    c[i] = s;
  }
  for (int64_t i = 0; i < n; ++i) { /* gives up at the first */
    int32_t ok = 1, bad = 0;
    for (int64_t j = 0; j < m; ++j) {
      bad += x[i * m + j] * (int32_t)j > -5;
      if (bad > 0) {
        ok = 0;
        break;
      }
    }
    d[i] = ok;
  }
  for (int64_t i = 0; i < n; ++i) { /* sums of shorts and bytes, which wrap */
    short s = 30000;
    int8_t t = 0;
    for (int64_t j = 0; j < m; ++j) {
      s += b[i * m + j] * 100;
      t += b[i * m + j];
      f[i * m + j] -= b[i * m + j];
      f[i * m + j] *= 3;
    }
    d[i] += s;
    e[i] = t;
  }
  unsigned w = 0;
  for (int64_t i = 0; i < n; ++i) { /* flags of other types */
    g[i] = (k[i] - 50) * w / 3 + ((k[i] - 60) / (w + 1));
    w ^= 1;
  }
  int64_t odd = 1;
  uint64_t even = 0;
  for (int64_t i = 0; i < n; ++i) {
    h[i] = (odd << 40) + k[i] + (even - 1 > 100);
    odd ^= 1;
    even = !even;
  }
}
