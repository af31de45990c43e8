/* what a condition keeps from overflowing, every lane of a vector computes */
// argument: x input i32 n large
// argument: w input i64 n large
// argument: y output i32 n
// argument: z output i64 n
// argument: s inout i32 n large
// argument: t output i32 n
// argument: n size
// sizes: n=1
// sizes: n=300
// sizes: n=0
// applies: vectorise(L0,8)
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L0,16); unroll(L0,2)
// applies: vectorise(L1,8)
// applies: vectorise(L2,4)
// applies: vectorise(L3,8)
// applies: vectorise(L4,8)
#include <stdint.h>
void speculated(const int32_t *x, const int64_t *w, int32_t *y, int64_t *z, int32_t *s, int32_t *t, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t v = 7;
    if (x[i] > -30000 && x[i] < 30000) {
      v = x[i] * x[i] - 5000;
      v += x[i];
    } else if (x[i] < -2000000000)
      v = x[i] + 1900000000;
    y[i] = v;
  }
  for (int64_t i = 0; i < n; ++i) /* the smaller of two arms, and what is turned */
    t[i] = x[i] > 0 ? x[i] - 2000000000 : x[i] > -2147483647 ? -x[i] : 2;
  for (int64_t i = 0; i < n; ++i) /* in 64 bits */
    z[i] = w[i] > 0 ? w[i] - INT64_MAX : w[i] + INT64_MAX;
  for (int64_t i = 0; i < n; ++i) /* in place */
    if (s[i] < 0)
      s[i] += 2000000000;
    else
      s[i] -= 1000000000;
  for (int64_t i = 0; i < n; ++i) { /* in the second of two conditions */
    const int32_t a = x[i];
    int32_t c = t[i];
    if (a < 0 && a + 2000000000 < 100000000)
      c = a > -100000 ? 1 : 3;
    t[i] = c;
  }
}
