/* what a search says as it gives up, told behind it: only if it was asked */
// argument: s input u8 n*m
// argument: q input u8 m
// argument: a output i32 n
// argument: b output i32 n
// argument: c output i32 n
// argument: d output i32 n
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=9 m=4
// sizes: n=9 m=0
// sizes: n=16 m=33
// applies: finish(W0)
// applies: finish(W0); vectorise(W0,16)
// applies: finish(W1)
// applies: finish(W1); vectorise(L1,8)
// declines: finish(W2): does not ask about bad_2 after each addition
// declines: finish(W3): does not ask about bad_3 after each addition
#include <stdint.h>
static int matches(const uint8_t *s, int64_t m, int allowed) {
  int bad = 0;
  for (int64_t k = 0; k < m; ++k)
    if (s[k] > 200)
      if (++bad > allowed)
        return 0;
  return 1;
}
void ends_told(const uint8_t *s, const uint8_t *q, int32_t *a, int32_t *b, int32_t *c, int32_t *d, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) /* a bound that may be below the beginning */
    a[i] = matches(s + i * m, m, (int)(i % 3) - 1);
  for (int64_t i = 0; i < n; ++i) { /* one that is reached from the beginning on, if asked */
    int ok = 1;
    int bad = 0;
    for (int64_t k = 0; k < m; ++k) {
      bad += s[i * m + k] > 50;
      if (bad >= 0) {
        ok = 0;
        break;
      }
    }
    b[i] = ok;
  }
  for (int64_t i = 0; i < n; ++i) { /* asked before the addition */
    int ok = 1;
    int bad = 0;
    for (int64_t k = 0; k < m; ++k) {
      if (bad >= 4) {
        ok = 0;
        break;
      }
      bad += s[i * m + k] < 200;
    }
    c[i] = ok;
  }
  for (int64_t i = 0; i < n; ++i) { /* asked now and then */
    int ok = 1;
    int bad = 0;
    for (int64_t k = 0; k < m; ++k) {
      bad += s[i * m + k] != q[k];
      if (q[k] > 128)
        if (bad > 3) {
          ok = 0;
          break;
        }
    }
    d[i] = ok;
  }
}
