/* k - i is never below zero, but i and k chosen apart are */
// argument: x input f32 n*s
// argument: a input f32 n*n
// argument: y output f32 n*m
// argument: n size
// argument: m size
// argument: s size
// sizes: n=64 m=3 s=131072
// sizes: n=5 m=2 s=3
// declines: pack(L0,x,L2): the bounds of L2 are not known
#include <stdint.h>
void pack_toeplitz(const float *x, const float *a, float *y, int64_t n, int64_t m, int64_t s) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) {
      float sum = 0.0f;
      for (int64_t k = i; k < n; ++k) sum += x[(k - i) * s] * a[i * n + k];
      y[i * m + j] = sum;
    }
}
