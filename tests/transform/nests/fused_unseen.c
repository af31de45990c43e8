// argument: x input i32 m*16
// argument: y output i32 m*16+16 zero
// argument: z output i32 m*16
// argument: b inout i32 16+m
// argument: m size
// sizes: m=7
// sizes: m=1
// declines: vectorise(L1,4); vectorise(L3,4); fuse(L0,L2): is vectorised inside
// declines: fuse(L5,L6): L5 and L4 could no longer change places
#include <stdint.h>
void fused_unseen(const int32_t *x, int32_t *y, int32_t *z, int32_t *b, int64_t m) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < 16; ++j)
      y[i * 16 + j] = x[i * 16 + j] + 1;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < 16; ++j)
      z[i * 16 + j] = y[(i + 1) * 16 + j] * 2;
  for (int64_t t = 0; t < m; ++t) {
    for (int64_t i = 0; i < 16; ++i)
      z[i] = z[i] + x[i];
    for (int64_t i = 0; i < 16; ++i) /* in this order of t alone */
      b[i + t] = (b[i + t] * 3 + x[i]) & 1023;
  }
}
