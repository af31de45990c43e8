/* logarithms, sines, tanh and erf at their edges */
// argument: x input f32 n
// argument: a output f32 n
// argument: b output f32 n
// argument: c output f32 n
// argument: d output f32 n
// argument: e output f32 n
// argument: f output f32 n
// argument: n size
// sizes: n=101
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L0,16)
// applies: vectorise(L0,4); jam(L0,2)
#include <math.h>
#include <stdint.h>
void elementary_edges(const float *x, float *a, float *b, float *c, float *d, float *e, float *f, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t k = i % 17;
    float v = x[i];
    const float none = v - v;
    v = k == 1 ? INFINITY : k == 2 ? -INFINITY : k == 3 ? 0.0f : k == 4 ? -0.0f : k == 5 ? none / none : k == 6 ? 1e-41f : k == 7 ? 1.0f : k == 8 ? 3.4e38f : k == 9 ? 8191.5f : k == 10 ? -3.0f : k == 11 ? 1e5f : k == 12 ? -1e30f : v;
    a[i] = logf(v);
    b[i] = log2f(v);
    c[i] = sinf(v);
    d[i] = cosf(v);
    e[i] = tanhf(v);
    f[i] = erff(v);
  }
}
