// A linear congruential generator: multiplication and addition of one value, round after round.
#include <stdint.h>
void generator_chain(const int64_t *restrict x, int64_t *restrict y, int64_t n) {
  uint64_t s = 1;
  for (int64_t i = 0; i < n; ++i)
    s = s * 6364136223846793005u + (uint64_t)x[i];
  y[0] = (int64_t)s;
}
