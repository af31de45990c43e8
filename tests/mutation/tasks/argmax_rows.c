#include <stdint.h>

/* Place of each row's largest value, the first of equal ones. */
void argmax_rows(const float *x, int64_t *place, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    int64_t at = 0;
    for (int64_t c = 1; c < cols; ++c)
      if (x[r * cols + c] > x[r * cols + at])
        at = c;
    place[r] = at;
  }
}
