// The largest of 6 MiB, again and again: more than the second-level cache holds.
#include <stdint.h>
void largest_in_l3(const int32_t *restrict x, int32_t *restrict y, int64_t n, int64_t rounds) {
  for (int64_t r = 0; r < rounds; ++r) {
    int32_t most = (int32_t)r;
    for (int64_t i = 0; i < n; ++i)
      most = x[i] > most ? x[i] : most;
    y[r] = most;
  }
}
