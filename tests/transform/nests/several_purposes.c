/* variables that serve one purpose after the other, declared at the top */
// argument: x input u8 n*m
// argument: w input f32 n*m
// argument: a output i32 n
// argument: b output f32 n
// argument: c output i32 n
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=4 m=70
// sizes: n=3 m=1
// sizes: n=3 m=0
// sizes: n=0 m=3
// independent: L0 L2 L4
// applies: first(W0,0); first(W1,0); vectorise(W0,8); vectorise(W0w,8); vectorise(W1,16); vectorise(L1,16)
// applies: first(W0,64); vectorise(W0,32); mask(W0); split_accumulators(W0w,2)
// applies: vectorise(L2,8); jam(L2,2)
// applies: vectorise(L0,8)
// declines: vectorise(L4,8): carries a value from
#include <stdint.h>
void several_purposes(const uint8_t *x, const float *w, int32_t *a, float *b, int32_t *c, int64_t n, int64_t m) {
  int64_t i, j, k = 5;
  int s, t;
  float f;
  for (i = 0; i < n; ++i) {
    s = 0;
    for (k = 0; k < m; ++k) {
      if (x[i * m + k] > 80)
        break;
      s += x[i * m + k];
    }
    for (k = 0; k < m; ++k)
      if (x[i * m + k] < 20) {
        s += 100;
        break;
      }
    t = s / 2;
    for (k = 0; k < m; ++k)
      t += x[i * m + k] & 1;
    a[i] = s + t;
  }
  for (j = 0; j < n; ++j) {
    f = 0;
    for (i = 0; i < m; ++i)
      f += w[j * m + i];
    b[j] = f;
    f = b[j] * 2.0f;
    b[j] += f;
  }
  s = 3;
  for (i = 0; i < n; ++i) {
    c[i] = s; /* the one before */
    if (m > 0)
      s = x[i * m];
  }
}
