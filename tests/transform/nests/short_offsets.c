// argument: x input i32 2*n
// argument: u input i32 n small
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
#include <stdint.h>
void short_offsets(const int32_t *x, const int32_t *u, int32_t *y, int64_t n) {
  const int32_t *half = x + n;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t none = (uint32_t)u[i] & 0U;
    const int32_t *at = half + none; /* 0U + -1 is no distance of -1 */
    y[i] = at[-1];
  }
}
