// argument: x input i32 n
// argument: table input i32 256
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: jam(L0,4)
// applies: vectorise(L0,8)
#include <stdint.h>
void hash_wraps(const int32_t *x, const int32_t *table, int32_t *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t h = ((uint32_t)x[i] + 40000u) * 2654435761u;
    y[i] = table[h >> 24] + (int32_t)(h & 255u);
  }
}
