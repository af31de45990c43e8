// One cache line of each of 8192 pages: the lines fit into the second-level cache, the pages not into the TLB.
#include <stdint.h>
void page_walk(const int32_t *restrict x, int32_t *restrict y, int64_t n, int64_t rounds) {
  const uint64_t pages = (uint64_t)n / 1024;
  for (int64_t r = 0; r < rounds; ++r) {
    int32_t s = 0;
    for (uint64_t i = 0; i < pages; ++i) {
      const uint64_t page = (i * 2654435761u + (uint64_t)r) & (pages - 1);
      s += x[page * 1024 + (page / 16 % 64) * 16];
    }
    y[r] = s;
  }
}
