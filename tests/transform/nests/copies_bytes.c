// argument: x input f32 n*4
// argument: y output f32 n*4 zero
// argument: n size
// sizes: n=11
// sizes: n=1
// carried: L0
// declines: jam(L0,2): calls memcpy
#include <stdint.h>
#include <string.h>
void copies_bytes(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    memcpy(y + 4 * i, x + 4 * (n - 1 - i), 14);
}
