/* the row stands in an array that the loop changes */
// argument: x input f32 n*m
// argument: p inout i64 n small
// argument: y output f32 n*m+16 zero
// argument: n size
// argument: m size
// sizes: n=4 m=8
// sizes: n=2 m=3
// declines: buffer(L0,y): 
#include <stdint.h>
void buf_load(const float *x, int64_t *p, float *y, int64_t n, int64_t m) {
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < m; ++c) y[p[r] + c] = x[r * m + c];
    p[r] = p[r] / 2 + 1;
    for (int64_t c = 0; c < m; ++c) y[p[r] + c] = y[p[r] + c] * 0.5f;
  }
}
