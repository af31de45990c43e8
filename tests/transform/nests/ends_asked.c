/* searches and works whose ends are asked for after them */
// argument: s input u8 n*m
// argument: x input f32 n*m
// argument: k input i32 n*m small
// argument: a output i32 n
// argument: b output f32 n
// argument: c output i64 n
// argument: d output i32 n
// argument: e output i32 n
// argument: f output i32 n
// argument: g output i32 n
// argument: n size
// argument: m size
// sizes: n=13 m=37
// sizes: n=4 m=160
// sizes: n=3 m=1
// sizes: n=3 m=0
// applies: first(W0,0); vectorise(W0,16)
// applies: first(W0,64); vectorise(W0,32); mask(W0)
// applies: first(W1,0); vectorise(W1,8); vectorise(W1w,8)
// applies: first(W1,32); vectorise(W1,16); vectorise(W1w,16); jam(L1,2)
// applies: first(W2,0); vectorise(W2,8); mask(W2)
// applies: first(W3,32); vectorise(W3,32)
// applies: first(W7,0); vectorise(W7,16)
// applies: first(W7,64); vectorise(W7,16); mask(W7)
// declines: first(W4,0): may lie outside its array
// declines: first(W5,0): the bound of W5 changes inside it
// declines: first(W6,0): where W6 begins changes inside it
#include <stdint.h>
void ends_asked(const uint8_t *s, const float *x, const int32_t *k, int32_t *a, float *b, int64_t *c, int32_t *d, int32_t *e, int32_t *f, int32_t *g, int64_t n, int64_t m) {
  for (int64_t r = 0; r < n; ++r) { /* a length */
    int i = 0;
    while (i < m && s[r * m + i] > 3)
      ++i;
    a[r] = i;
  }
  for (int64_t r = 0; r < n; ++r) { /* work and a length, from further on */
    float sum = 0;
    int64_t i = 3;
    while (i < m && x[r * m + i] < 1.4f && k[r * m + i] != 5) {
      sum += x[r * m + i];
      ++i;
    }
    b[r] = sum + i;
  }
  for (int64_t r = 0; r < n; ++r) { /* a begin that is the row's */
    int64_t i = r;
    for (; i < m; ++i)
      if (k[r * m + i] == 6)
        break;
    c[r] = i < m ? i : -1 - i;
  }
  for (int64_t r = 0; r < n; ++r) { /* two after each other */
    int i = 0, j;
    for (; i < m && s[r * m + i] < 90; i++)
      ;
    for (j = i; j < m && s[r * m + j] > 10; j++)
      ;
    d[r] = 1000 * i + j;
  }
  for (int64_t r = 0; r < n; ++r) { /* an end that moves with it */
    int i = 0;
    while (i < m - i && s[r * m + i] > 3)
      ++i;
    e[r] = i;
  }
  for (int64_t r = 0; r < n; ++r) { /* the begin changes */
    int b0 = 1, sum = 0;
    int i = b0;
    while (i < m && s[r * m + i] > 5) {
      sum += i;
      b0 += 1;
      ++i;
    }
    f[r] = sum + b0 + i;
  }
  for (int64_t r = 0; r < n; ++r) { /* told, and asked after */
    int i, t = -1;
    for (i = 0; i < m; ++i)
      if (s[r * m + i] == 42) {
        t = i * 2;
        break;
      }
    g[r] = t + i;
  }
}
