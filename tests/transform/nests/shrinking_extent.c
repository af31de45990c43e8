// argument: x input i32 m*n
// argument: y output i32 m
// argument: m size
// argument: n size
// sizes: m=5 n=3700
// sizes: m=1 n=1
// carried: L0
#include <stdint.h>
void shrinking_extent(const int32_t *x, int32_t *y, int64_t m, int64_t n) {
  int64_t k = n + 1;
  int32_t row[k];
  k = k / 2; /* declared in the loop the array would be half as long */
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j)
      row[j] = x[i * n + j] * 2;
    int32_t sum = (int32_t)k;
    for (int64_t j = 0; j < n; ++j)
      sum += row[j] & 7;
    y[i] = sum;
  }
}
