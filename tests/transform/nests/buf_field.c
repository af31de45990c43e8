/* a byte-wide place, made of what changes between */
// argument: x input f32 n*m
// argument: y output f32 n*m zero
// argument: n size
// argument: m size
// sizes: n=4 m=8
// sizes: n=2 m=3
// declines: buffer(L0,y): 
#include <stdint.h>
void buf_field(const float *x, float *y, int64_t n, int64_t m) {
  int64_t back = 0;
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c < m; ++c) y[(r - back < 0 ? 0 : r - back) * m + c] = x[r * m + c];
    back = r & 1;
    for (int64_t c = 0; c < m; ++c) y[(r - back < 0 ? 0 : r - back) * m + c] = y[(r - back < 0 ? 0 : r - back) * m + c] * 0.5f;
    back = 0;
  }
}
