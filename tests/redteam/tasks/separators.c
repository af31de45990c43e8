#include <stdint.h>

void separators(const uint8_t *text, int64_t *at, int64_t *count, int64_t n) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; ++i)
    if (text[i] == ',')
      at[found++] = i;
  count[0] = found;
}
