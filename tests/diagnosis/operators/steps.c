#include <stdint.h>

/* The number of steps of each value's Collatz sequence until it is one. */
void steps(const int32_t *x, int32_t *count, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    uint32_t v = (uint32_t)x[i];
    int32_t c = 0;
    while (v > 1u && c < 1000) {
      v = (v & 1u) ? 3u * v + 1u : v / 2u;
      ++c;
    }
    count[i] = c;
  }
}
