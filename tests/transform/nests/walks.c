/* rounds that pointers count, and indices that move on in their midst */
// argument: x input f32 n*m
// argument: len input i32 n small
// argument: a output f32 n
// argument: b output f32 n*m
// argument: c output f32 n
// argument: d output f32 n*m
// argument: e output f32 n+m
// argument: f output f32 n
// argument: n size
// argument: m size
// sizes: n=13 m=8
// sizes: n=1 m=9
// sizes: n=3 m=33
// sizes: n=2 m=1
// sizes: n=1 m=2
// independent: L0
// independent: L1
// independent: L2
// independent: L3
// independent: L6
// applies: vectorise(L1,8)
// applies: vectorise(L2,8); mask(L2)
// applies: vectorise(L4,8)
#include <stdint.h>
void walks(const float *x, const int32_t *len, float *a, float *b, float *c, float *d, float *e, float *f, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) { /* to an end from its own place */
    const float *p = x + i * m;
    const float *end = p + m;
    float s = 0.0f;
    while (p < end) {
      const float v = *p++;
      s += v * v;
    }
    a[i] = s;
  }
  float *to = b;
  for (const float *p = x; p != x + n * m; ++p) /* two at once */
    *to++ = *p * 2.0f;
  for (int64_t i = 0; i < n; ++i) { /* as far as the data say */
    const float *p = x + i * m, *end = x + i * m + len[i];
    float s = 0.0f;
    int32_t at = 0, best = -1;
    while (end > p) {
      const float v = *p;
      ++p;
      if (v > s) {
        s = v;
        best = at;
      }
      at++;
    }
    c[i] = s + (float)best + (float)(end - p);
  }
  for (int64_t i = 0; i < n; ++i) { /* an index in the midst */
    int64_t k = 0;
    while (k < m) {
      const float v = x[i * m + k];
      d[i * m + k++] = v + 1.0f;
      d[i * m + k - 1] += (float)k;
    }
  }
  const float *q = x; /* an end that moves, and one that is passed by twos */
  const float *stop = x + n;
  while (q < stop) {
    e[q - x] = *q;
    if (*q < 0.0f)
      --stop;
    ++q;
  }
  for (const float *p = x; p < x + m; p += 2)
    e[n + (p - x)] = *p;
  for (int64_t i = 1; i < m; i += 2)
    e[n + i] = 0.0f;
  for (const float *p = stop; p < x + n; ++p)
    e[p - x] = 7.0f;
  for (int64_t i = 0; i < n; ++i) { /* the pointer goes on from row to row */
    const float *p = x;
    float s = 0.0f;
    for (int r = 0; r < 2; ++r) {
      const float *end = p + m / 2;
      while (p < end)
        s += *p++;
    }
    f[i] = s + (float)i;
  }
}
