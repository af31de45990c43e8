// argument: a input f64 n*n
// argument: x input f64 n
// argument: y output f64 n
// argument: n size
// sizes: n=13
// sizes: n=1
// independent: L0 L1
// applies: jam(L0,4)
// applies: vectorise(L1,4); split_accumulators(L1,2)
// applies: tile(L0,4); unroll(L1,2)
// applies: split_accumulators(L1,2); jam(L0,2)
// declines: vectorise(L0,4): a guarded load in
#include <stdint.h>
void triangle(const double *a, const double *x, double *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double s = 0;
    for (int64_t j = 0; j <= i; ++j)
      s += a[i * n + j] * x[j];
    y[i] = s;
  }
}
