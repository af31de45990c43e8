// argument: x input f32 n*m
// argument: y output f32 n*m
// argument: z inout f32 n*m
// argument: s input f32 n
// argument: n size
// argument: m size
// sizes: n=5 m=67
// sizes: n=3 m=1
// sizes: n=2 m=16385
// sizes: n=9 m=33
// declines: buffer(L0,y): L4 does not end with what stays
// declines: buffer(L0,z): does not give every element
#include <stdint.h>
#include <math.h>
void buffer_declined(const float *x, float *y, float *z, const float *s, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < m; ++j) {
      y[i * m + j] = x[i * m + j] / s[i];
      sum += y[i * m + j];
    }
    for (int64_t j = 0; j < m; ++j)
      y[i * m + j] /= sum;
    for (int64_t j = 0; j < m; ++j)
      y[i * m + j] = expf(y[i * m + j]) / sum;
    float q = 0.0f;
    for (int64_t j = 0; j < m; ++j) {
      z[i * m + j] += y[i * m + j];
      q += z[i * m + j] * z[i * m + j];
    }
    const float root = sqrtf(q);
    for (int64_t j = 0; j < m; ++j)
      z[i * m + j] = z[i * m + j] / root;
  }
}
