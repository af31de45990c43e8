// argument: x input f64 n*m
// argument: y output f64 n
// argument: n size
// argument: m size
// sizes: n=9 m=7
// sizes: n=1 m=1
// independent: L0 L1 L2
// applies: vectorise(L0,4)
// applies: jam(L0,3); split_accumulators(L1,2)
// applies: vectorise(L1,8); vectorise(L2,4)
#include <stdint.h>
void c89(const double *x, double *y, int64_t n, int64_t m) {
  int64_t i, j;
  double s, t;
  for (i = 0; i < n; i++) {
    s = 0;
    for (j = 0; j < m; j++)
      s += x[i * m + j];
    t = 1;
    for (j = 0; j <= m - 1; j++)
      t *= 1 + 0.01 * x[i * m + j];
    y[i] = s / t;
  }
}
