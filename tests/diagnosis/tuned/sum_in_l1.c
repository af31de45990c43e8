// Sums 16 KiB again and again: nothing but loads from the first-level cache.
#include <stdint.h>
void sum_in_l1(const int32_t *restrict x, int32_t *restrict y, int64_t n, int64_t rounds) {
  for (int64_t r = 0; r < rounds; ++r) {
    int32_t s = 0;
    for (int64_t i = 0; i < n; ++i)
      s += x[i];
    y[r] = s;
  }
}
