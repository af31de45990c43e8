// argument: x input f32 n
// argument: limit scalar f32
// argument: last input i64 1
// argument: y output f32 4*n zero
// argument: n size
// sizes: n=37
// sizes: n=1
// applies: split_index_set(L1,B1)
// declines: split_index_set(L0,B0): does not compare i with something fixed
// declines: split_index_set(L2,B2): does not compare i_1 with something fixed
#include <stdint.h>
void cut_where(const float *x, float limit, const int64_t *last, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) { /* between two whole numbers */
    if (i < limit)
      y[i] = x[i];
    else
      y[i] = -x[i];
  }
  const int64_t top = last[0] < 1000 ? INT64_MAX : 5; /* one more would wrap */
  for (int64_t i = 0; i < n; ++i) {
    if (i <= top)
      y[n + i] = x[i];
    else
      y[n + i] = -x[i];
  }
  const int end = (int)n - 10;
  const uint32_t few = 5; /* compared with it, an end below zero is large */
  for (int i = 0; i < end; ++i) {
    if (i < few)
      y[2 * n + i] = x[i];
    else
      y[2 * n + i] = -x[i];
  }
}
