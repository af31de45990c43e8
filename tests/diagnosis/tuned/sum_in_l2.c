// Sums 256 KiB again and again: more than the first-level cache holds.
#include <stdint.h>
void sum_in_l2(const int32_t *restrict x, int32_t *restrict y, int64_t n, int64_t rounds) {
  for (int64_t r = 0; r < rounds; ++r) {
    int32_t s = 0;
    for (int64_t i = 0; i < n; ++i)
      s += x[i];
    y[r] = s;
  }
}
