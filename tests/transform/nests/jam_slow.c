// argument: a input f32 n*n+64
// argument: d output f64 n
// argument: n size
// sizes: n=37
// applies: jam(L0,16)
// declines: jam(L0,16); prefetch(L0,2): L0 reads nothing out of line
#include <stdint.h>
void jam_slow(const float *a, double *d, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double s = 0;
    for (int64_t k = i + 1; k < n; ++k)
      for (int64_t l = k; l <= n - i; ++l) s = s * 0.7 + a[l];
    d[i] = s;
  }
}
