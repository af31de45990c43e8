// argument: a input f32 n*16
// argument: b input f32 n*16
// argument: c output f32 n*16
// argument: n size
// sizes: n=19
// sizes: n=3
// applies: vectorise(L0,8)
// applies: vectorise(L2,4)
#include <stdint.h>
#include <string.h>
void small_matrices(const float *a, const float *b, float *c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float *p = a + 16 * i, *q = b + 16 * i;
    float *r = c + 16 * i;
    float t[4][4];
    for (int u = 0; u < 4; ++u)
      for (int v = 0; v < 4; ++v) {
        t[u][v] = 0.0f;
        for (int w = 0; w < 4; ++w)
          t[u][v] += p[4 * u + w] * q[4 * w + v];
      }
    memcpy(r, t, sizeof t);
  }
}
