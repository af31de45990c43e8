/* arrays that pointers of the function's own look at, too */
// argument: x input f32 n
// argument: idx inout i32 n+8
// argument: y inout f32 n
// argument: n size
// sizes: n=64
// sizes: n=5
// declines: seek(L0,8): is not known
// declines: skip(L0,64): is not known
// declines: scalar_replace(L2): is not known
// declines: vectorise(L1,8): computed pointer
#include <stdint.h>
void own_pointers(const float *x, int32_t *idx, float *y, int64_t n) {
  int32_t *p = idx;
  p += 1;
  for (int64_t i = 0; i < n; ++i)
    if (idx[i] > 40)
      p[i] = 7;
  float *q = y;
  q += 1;
  for (int64_t i = 1; i < n; ++i)
    for (int64_t k = 0; k < n; ++k) {
      y[i] += x[k];
      q[i - 1] *= 0.5f;
    }
}
