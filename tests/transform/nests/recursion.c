// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: jam(L0,2)
// declines: vectorise(L0,8): no vector form of gcd
#include <stdint.h>
static int32_t gcd(int32_t a, int32_t b) { return b == 0 ? a : gcd(b, a % b); }
void recursion(const int32_t *x, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = gcd(x[i] + 60, 36);
}
