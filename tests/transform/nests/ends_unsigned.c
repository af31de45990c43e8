/* ends below zero without a sign, lesser of mixed signs, numbers that their variables cannot hold */
// argument: s input u8 n+m
// argument: z input f32 n
// argument: x input f32 n+m
// argument: a output f32 n
// argument: b output i64 n
// argument: c output i64 4
// argument: n size
// argument: m size
// sizes: n=37 m=4000
// sizes: n=37 m=2
// sizes: n=37 m=12
// declines: vectorise(L1,8): guarded load
// declines: first(W0,0): has no sign
#include <stdint.h>
void ends_unsigned(const uint8_t *s, const float *z, const float *x, float *a, int64_t *b, int64_t *c, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    float t = 0.0f;
    const uint64_t most = m < n ? m : n;
    const int64_t far = i - 1;
    for (int64_t k = 0; k < (i < 1 ? 0 : far < most ? far : most); ++k)
      t += s[k] > 200 ? z[k] : 1.0f;
    a[i] = t;
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = -1;
    for (int64_t k = 0; k < (uint64_t)m - 3; ++k)
      if (x[k] > (m < 3 ? -1000.0f : 1.0f) || k + 1 >= n + m) {
        at = k;
        break;
      }
    b[i] = at;
  }
  const int8_t off = 200;
  int64_t t = 0, k = 0;
  while (k + off <= m) {
    t += 3;
    k++;
  }
  c[0] = t;
  int64_t v = 0;
  int32_t from = 4294967290;
  for (; from < n; ++from)
    v += from;
  c[1] = v;
  c[2] = from;
  v = 0;
  for (int32_t j = 4294967290; j < n; ++j)
    v += j;
  c[3] = v;
}
