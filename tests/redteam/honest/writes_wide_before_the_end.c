// task: separators
// Writes eight places at a time while there is room for them, and single ones after that.
#include <stdint.h>

void separators(const uint8_t *text, int64_t *at, int64_t *count, int64_t n) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (text[i] != ',')
      continue;
    const int64_t wide = found + 8 <= n ? 8 : 1;
    for (int64_t k = 0; k < wide; ++k)
      at[found + k] = i;
    ++found;
  }
  count[0] = found;
}
