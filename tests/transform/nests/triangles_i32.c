// argument: a input i32 n*n small
// argument: c output i32 n
// argument: d output i32 n*n
// argument: n size
// sizes: n=1
// sizes: n=2
// sizes: n=33
// sizes: n=18
#include <stdint.h>
void triangles_i32(const int32_t *a, int32_t *c, int32_t *d, int64_t n) {
  for (int i = 0; i < (int)n; ++i) {
    int s = 0;
    for (int j = 0; j < i; ++j)
      s += a[i * (int)n + j] * a[j * (int)n + i];
    c[i] = s;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      d[i * n + j] = 0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; j += 2) {
      int32_t s = 0;
      for (int64_t k = 0; k < j - i; ++k)
        s += a[i * n + k] * a[j * n + k];
      d[i * n + j] = s;
    }
}
