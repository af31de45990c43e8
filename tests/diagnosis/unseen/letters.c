// A scanner with a switch over random bytes.
#include <stdint.h>
void letters(const uint8_t *restrict x, int64_t *restrict y, int64_t n) {
  int64_t words = 0, digits = 0, depth = 0, hash = 0;
  for (int64_t i = 0; i < n; ++i) {
    switch (x[i] & 7) {
      case 0: words += hash & 1; break;
      case 1: digits = digits * 10 + 1; break;
      case 2: depth += 1; hash ^= depth; break;
      case 3: depth -= depth > 0; break;
      case 4: hash = hash * 31 + x[i]; break;
      case 5: words ^= digits; break;
      case 6: hash += words; break;
      default: digits -= hash >> 3; break;
    }
  }
  y[0] = words;
  y[1] = digits;
  y[2] = depth;
  y[3] = hash;
}
