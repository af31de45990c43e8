/* windows that move with the loop around them */
// argument: x input f32 n+2*r
// argument: s input u8 n+9
// argument: a output f32 n
// argument: b output i32 n+1
// argument: c output f32 n
// argument: d output i32 n
// argument: e output f32 n
// argument: n size
// argument: r size
// sizes: n=100 r=3
// sizes: n=37 r=0
// sizes: n=1 r=2
// sizes: n=0 r=1
// applies: vectorise(L0,8)
// applies: vectorise(L0,16); mask(L0)
// applies: vectorise(L0,8); jam(L0,2)
// applies: vectorise(L2,16)
// applies: vectorise(L2,32); mask(L2)
// applies: vectorise(L5,8)
// applies: vectorise(L10,8)
// applies: vectorise(L12,8)
// declines: vectorise(L8,8): a guarded load
#include <stdint.h>
enum { length = 4, windows = 5 };
void moving_windows(const float *x, const uint8_t *s, float *a, int32_t *b, float *c, int32_t *d, float *e, int64_t n, int64_t r) {
  for (int64_t i = r; i < n + r; ++i) { /* a box */
    float sum = 0;
    for (int64_t k = i - r; k <= i + r; ++k)
      sum += x[k];
    a[i - r] = sum;
  }
  for (int64_t o = 0; o + length + windows <= n + 9; ++o) { /* the least hash, and where */
    uint32_t best = UINT32_MAX;
    int64_t where = o;
    for (int64_t k = o; k < o + windows; ++k) {
      uint32_t h = 0;
      for (int j = 0; j < length; ++j)
        h = h << 2 | (s[k + j] & 3);
      h *= 0x7feb352du;
      if (h <= best) {
        best = h;
        where = k;
      }
    }
    b[o] = (int32_t)where;
  }
  for (int64_t i = 0; i < n; ++i) { /* one within the other */
    float most = -1e9f;
    for (int64_t k = i; k < i + 2; ++k)
      for (int64_t j = k; j < k + r; ++j)
        most = x[j] > most ? x[j] : most;
    c[i] = most;
  }
  for (int64_t i = 0; i < n; ++i) { /* cut off at the ends */
    int32_t sum = 0;
    for (int64_t k = i > r ? i - r : 0; k < i + 3; ++k)
      if (k < n)
        sum += s[k];
    d[i] = sum;
  }
  for (int64_t i = 0; i < n; ++i) { /* no window */
    float sum = 1.0f;
    for (int64_t k = i + r; k < i; ++k)
      sum += 1.0f;
    e[i] = sum;
  }
  for (int64_t i = 0; i < n; ++i) { /* the window's own index is changed by the round */
    int64_t from = i;
    for (int64_t k = from; k < from + 3; ++k)
      e[i] += s[k] * (float)(k - i);
  }
}
