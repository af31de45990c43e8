/* outer indices of 32 bits, inner ones of 64; several triangles in one body; a triangle inside a while */
// argument: a input f32 n*n+64
// argument: c output f32 n*m
// argument: d output f64 n
// argument: e output f32 n
// argument: n size
// argument: m size
// sizes: n=37 m=5
// sizes: n=1 m=1
// sizes: n=0 m=2
// sizes: n=7 m=3
// applies: jam(L0,3)
// applies: jam(L0,2); jam(L0,3)
// applies: jam(L3,3)
// applies: jam(L3,4); unroll(L4,2); unroll(L6,2)
// declines: jam(L5,2): s carries a value
// applies: jam(L7,3)
// declines: jam(L7,2); jam(L8,2): carries a value
// applies: if_convert(B0); jam(L7,5)
#include <stdint.h>
#include <math.h>
void triangle_types(const float *a, float *c, double *d, float *e, int64_t n, int64_t m) {
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < m; ++j) {
      float sum = 0.0f;
      for (int64_t k = i - 4; k < i + j; ++k) sum = sum * 0.5f + a[k + 4];
      c[i * m + j] = sum;
    }
  for (int64_t i = 0; i < n; ++i) {
    double s = 0;
    for (int64_t k = 0; k < i; ++k) s = s * 0.7 + a[k];
    for (int64_t k = i + 1; k < n; ++k) {
      for (int64_t l = k; l <= n - i; ++l) s = s * 0.7 + a[l];
      s -= a[k];
    }
    d[i] = s;
  }
  for (int64_t i = 0; i < n; ++i) {
    float s = 0; int64_t t = 0; int64_t lim = i * 2 > n ? n : i * 2;
    for (int64_t k = 0; k < lim; ++k) {
      float z = a[k];
      if (z > 0) { s = s * 0.5f + z; t = k; }
      for (int64_t q = 0; q < k - i; ++q) s = s * 0.9f + a[q];
    }
    int64_t w = 0;
    while (w < 3) { for (int64_t k = i; k < n; ++k) s = s * 0.5f + a[k] * (float)w; w += 2; }
    e[i] = s + (float)t;
  }
}
