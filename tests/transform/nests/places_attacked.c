/* pointers that live on, variables of the file, conversions, bounds of a loop's own */
// argument: x input u8 n*m
// argument: q input u8 m small
// argument: out output i64 m+4
// argument: o output i32 n
// argument: p output i32 n
// argument: c output i64 m*4
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=5 m=33
// sizes: n=3 m=1
// declines: finish(W0): changes inside it
// declines: finish(W1): hangs on s_0
#include <stdint.h>
static int64_t place;
static int64_t h = 3;
static int64_t at(int64_t d) { static int64_t calls; calls += 1; return place * 10 + d; }
static int64_t add_five(int64_t *p) { int64_t *q = &p[0]; *q += 5; return 1; }
void places_attacked(const uint8_t *x, const uint8_t *q, int64_t *out, int32_t *o, int32_t *p, int64_t *c, int64_t n, int64_t m) {
  place = 0;
  for (int64_t k = 0; k < m; ++k) {
    place += 1;
    out[k] = at(x[k] & 1);
    place += 2;
  }
  int64_t count = n;
  const int64_t one = add_five(&count);
  out[m] = count;
  out[m + 1] = one + n;
  h = 3;
  {
    int64_t h = 6;
    h += m;
    out[m + 2] = h;
  }
  out[m + 3] = h;
  for (int64_t i = 0; i < n; ++i) {
    int ok = 1, s = 0;
    for (int64_t k = 0; k < m; ++k) {
      const int lim = q[k] & 3;
      s += x[i * m + k] > 60;
      if (s > lim) {
        ok = 0;
        break;
      }
    }
    o[i] = ok;
  }
  for (int64_t i = 0; i < n; ++i) {
    int ok = 1;
    int64_t s = 1;
    for (int64_t k = s; k < m; ++k) {
      s += x[i] > 20;
      if (s > 3) {
        ok = 0;
        break;
      }
    }
    p[i] = ok;
  }
  int32_t d = -10;
  for (int64_t k = 0; k < m; ++k) {
    c[k * 4] = d < 5u;
    c[k * 4 + 1] = d + 1u;
    c[k * 4 + 2] = x[k] - U'\x90';
    c[k * 4 + 3] = (uint32_t)x[k] > '\x80\0\0\0';
    d += 3;
  }
}
