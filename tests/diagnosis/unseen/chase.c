// Follows random links through 32 MiB: each address comes from the load before.
#include <stdint.h>
void chase(const int32_t *restrict next, int32_t *restrict y, int64_t m, int64_t n) {
  int32_t at = 0;
  for (int64_t i = 0; i < n; ++i)
    at = (next[at] + (int32_t)i * 977) & (int32_t)(m - 1);
  y[0] = at;
}
