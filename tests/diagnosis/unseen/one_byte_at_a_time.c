// Byte arithmetic without vectors, though nothing but a pragma stands in their way.
#include <stdint.h>
void one_byte_at_a_time(const uint8_t *restrict x, uint8_t *restrict y, int64_t n) {
#pragma clang loop vectorize(disable)
  for (int64_t i = 0; i < n; ++i)
    y[i] = (uint8_t)((x[i] >> 1) ^ (x[i] & 15));
}
