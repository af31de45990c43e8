/* an index that follows another */
// argument: x input f32 n
// argument: y input f32 n
// argument: vx input f32 m
// argument: vy input f32 m
// argument: a output f32 n
// argument: b output f32 m
// argument: n size
// argument: m size
// sizes: n=21 m=5
// sizes: n=1 m=1
// sizes: n=9 m=0
// independent: L0
// independent: L1
// applies: vectorise(L0,8); mask(L0)
// applies: jam(L0,2)
#include <stdint.h>
void previous(const float *x, const float *y, const float *vx, const float *vy, float *a, float *b, int64_t n, int64_t m) {
  for (int64_t p = 0; p < n; ++p) {
    float least = 1e30f;
    int64_t i, j;
    for (i = 0, j = m - 1; i < m; j = i++) {
      const float ex = vx[j] - vx[i], ey = vy[j] - vy[i];
      const float d = (x[p] - vx[i]) * ey - (y[p] - vy[i]) * ex;
      if (d * d < least)
        least = d * d;
    }
    a[p] = least;
  }
  int64_t last = 0;
  for (int64_t i = 0; i < m; last = i, i++)
    b[i] = vx[last];
}
