/* the row moves through a quotient */
// argument: x input f32 n*m
// argument: y output f32 n*m zero
// argument: n size
// argument: m size
// sizes: n=4 m=8
// sizes: n=2 m=3
// declines: buffer(L0,y): 
#include <stdint.h>
void buf_atom2(const float *x, float *y, int64_t n, int64_t m) {
  for (int64_t r = 0; r < n; ++r) {
    int64_t at = 2 * r * m;
    for (int64_t c = 0; c < m; ++c) y[at / 2 + c] = x[r * m + c];
    if (r % 2 == 1) at -= 2 * m;
    for (int64_t c = 0; c < m; ++c) y[at / 2 + c] = y[at / 2 + c] * 0.5f;
  }
}
