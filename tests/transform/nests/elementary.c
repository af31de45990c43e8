/* logarithms, sines, tanh and erf from far below 1 to far above it */
// argument: x input f32 n
// argument: a output f32 n
// argument: b output f32 n
// argument: c output f32 n
// argument: d output f32 n
// argument: e output f32 n
// argument: f output f32 n
// argument: n size
// sizes: n=5003
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L0,16)
// applies: vectorise(L0,4); jam(L0,2)
#include <math.h>
#include <stdint.h>
void elementary(const float *x, float *a, float *b, float *c, float *d, float *e, float *f, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t k = i % 53;
    const float v = x[i] * (float)((int64_t)1 << (k / 2)) * (1.0f / 16384.0f);
    a[i] = logf(v < 0.0f ? -v : v);
    b[i] = log2f(v < 0.0f ? -v : v);
    c[i] = sinf(v);
    d[i] = cosf(v);
    e[i] = tanhf(v);
    f[i] = erff(v);
  }
}
