// argument: a input f64 m*k
// argument: b input f64 k*n
// argument: c output f64 m*n
// argument: m size
// argument: n size
// argument: k size
// sizes: m=2 n=11 k=9000
// sizes: m=3 n=11 k=40
// sizes: m=3 n=11 k=0
// independent: L0 L1 L2
// applies: tile(L1,8); interchange(L0,L1t); pack(L0,b,L1); vectorise(L1,4)
// applies: pack(L0,b,L2)
// declines: tile(L1,131072); interchange(L0,L1t); pack(L0,b,L1): would not fit
#include <stdint.h>
void panel_too_long(const double *a, const double *b, double *c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
}
