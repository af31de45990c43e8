// argument: a input i8 n*k
// argument: b input i8 k
// argument: y output i32 n
// argument: n size
// argument: k size
// sizes: n=9 k=33
// sizes: n=1 k=1
// independent: L0 L1
// applies: jam(L0,3)
// applies: split_accumulators(L1,2)
// applies: unroll(L1,8)
#include <stdint.h>
void small_products(const int8_t *a, const int8_t *b, int32_t *y, int64_t n, int64_t k) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t sum = 0;
    for (int64_t j = 0; j < k; ++j)
      sum += (int32_t)a[i * k + j] * (int32_t)b[j];
    y[i] = sum;
  }
}
