// argument: x input i32 n
// argument: y inout i32 n*k+1
// argument: n size
// argument: k size
// sizes: n=37 k=3
// sizes: n=37 k=0
// carried: L0
#include <stdint.h>
void stride_of_zero(const int32_t *x, int32_t *y, int64_t n, int64_t k) {
  for (int64_t i = 0; i < n; ++i) { /* with k = 0 there is an element left */
    int32_t t = y[i * k];
    y[i * k] = (t * 3 + x[i]) & 1023;
  }
}
