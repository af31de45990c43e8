// argument: a input f32 n*n
// argument: b input f32 n*n
// argument: c output f32 n*n
// argument: d output f32 n
// argument: e output f32 n
// argument: n size
// argument: w size
// sizes: n=1 w=1
// sizes: n=2 w=3
// sizes: n=7 w=1
// sizes: n=33 w=5
// sizes: n=40 w=100
// applies: jam(L0,4)
// applies: jam(L3,3); jam(L4,2)
#include <stdint.h>
void triangles_around(const float *a, const float *b, float *c, float *d, float *e, int64_t n, int64_t w) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float s = 0.0f;
      for (int64_t k = i; k <= j; ++k)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
  for (int64_t i = 0; i < n; ++i) {
    const int64_t lo = i - w > 0 ? i - w : 0;
    const int64_t hi = i + w < n ? i + w : n;
    float s = 0.0f;
    for (int64_t j = lo; j < hi; ++j)
      s += a[i * n + j] / (1.0f + b[j]);
    d[i] = s;
  }
  for (int64_t i = 0; i < n; ++i) {
    float s = 1.0f;
    for (int64_t j = 0; j < n - i; ++j) {
      float t = 0.0f;
      for (int64_t k = j; k < n - i; ++k)
        t += a[j * n + k];
      s += t;
    }
    e[i] = s;
  }
}
