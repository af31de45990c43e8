// Two narrow stores are read back by one wide load at once, which must wait until both have left the store buffer.
#include <stdint.h>
void split_stores(const int32_t *restrict x, int64_t *restrict y, int64_t n) {
  union {
    volatile uint32_t half[2];
    volatile uint64_t whole;
  } box;
  uint64_t s = 0;
  for (int64_t i = 0; i < n; ++i) {
    box.half[0] = (uint32_t)x[i] + (uint32_t)s;
    box.half[1] = (uint32_t)i;
    s += box.whole;
  }
  y[0] = (int64_t)s;
}
