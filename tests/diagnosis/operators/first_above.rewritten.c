#include <stdint.h>

/* "A count of the iterations first": blocks of 64 are asked whether they hold one, and only that block is searched. */
void first_above(const float *x, int32_t *first, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *row = x + r * cols;
    int64_t j = 0;
    for (; j + 64 <= cols; j += 64) {
      int32_t any = 0;
      for (int64_t l = 0; l < 64; ++l)
        any |= row[j + l] > 0.999f;
      if (any)
        break;
    }
    while (j < cols && !(row[j] > 0.999f))
      ++j;
    first[r] = (int32_t)j;
  }
}
