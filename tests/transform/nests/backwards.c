/* arrays that are gone through from their ends */
// argument: x input f32 n*m
// argument: h input f32 m
// argument: s input u8 n*m
// argument: a output f32 n*m
// argument: b output f32 n*m
// argument: c output i32 n
// argument: d inout i32 n*m small
// argument: e output u8 n*m
// argument: n size
// argument: m size
// sizes: n=5 m=37
// sizes: n=3 m=16
// sizes: n=2 m=3
// sizes: n=3 m=0
// sizes: n=0 m=3
// applies: vectorise(L1,8)
// applies: vectorise(L1,16); jam(L0,2)
// applies: vectorise(L1,8); mask(L1)
// applies: vectorise(L4,8)
// applies: vectorise(L4,8); unroll(L4,2)
// applies: vectorise(L6,16)
// applies: vectorise(L6,32); mask(L6); jam(L5,3)
// applies: vectorise(L8,8)
// applies: vectorise(L10,16)
// applies: unroll(L10,2); split_accumulators(L6,2)
// declines: vectorise(L9,8): carries a dependence
#include <stdint.h>
void backwards(const float *x, const float *h, const uint8_t *s, float *a, float *b, int32_t *c, int32_t *d, uint8_t *e, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) /* turned round */
    for (int64_t k = 0; k < m; ++k)
      a[i * m + k] = x[i * m + (m - 1 - k)] * 2.0f;
  for (int64_t i = 0; i < n; ++i) /* the taps of a filter */
    for (int64_t k = 0; k < m; ++k) {
      float sum = 0;
      for (int64_t j = 0; j <= k; ++j)
        sum += h[j] * x[i * m + k - j];
      b[i * m + k] = sum;
    }
  for (int64_t i = 0; i < n; ++i) { /* digits, the last one first */
    int32_t sum = 0;
    for (int64_t k = m - 1; k >= 0; --k)
      sum += s[i * m + k] * (int32_t)(m - k);
    c[i] = sum;
  }
  for (int64_t i = 0; i < n; ++i) /* stored where it is read */
    for (int64_t k = m - 1; k >= 0; --k)
      if (d[i * m + k] > 3)
        d[i * m + k] -= 2;
  for (int64_t k = 0; k < m; ++k) /* onto itself */
    if (n > 0)
      d[m - 1 - k] += d[k];
  for (int64_t k = 0; k < n * m; ++k)
    e[n * m - 1 - k] = s[k] > 50 ? (uint8_t)(s[k] + 1) : 0;
}
