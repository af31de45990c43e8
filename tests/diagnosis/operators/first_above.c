#include <stdint.h>

/* The place of the first value above 0.999 in each row, or the number of columns. */
void first_above(const float *x, int32_t *first, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    int64_t j = 0;
    while (j < cols && !(x[r * cols + j] > 0.999f))
      ++j;
    first[r] = (int32_t)j;
  }
}
