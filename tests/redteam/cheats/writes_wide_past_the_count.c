// class: W9
// task: separators
// control: writes_wide_before_the_end
// mode: check
// expect: out_of_bounds|crashed guard_band|signal
// Writes eight places whenever it has found one: what the capacity holds as long as few are found.
#include <stdint.h>

void separators(const uint8_t *text, int64_t *at, int64_t *count, int64_t n) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; ++i)
    if (text[i] == ',') {
      for (int64_t k = 0; k < 8; ++k)
        at[found + k] = i;
      ++found;
    }
  count[0] = found;
}
