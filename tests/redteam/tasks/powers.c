#include <math.h>
#include <stdint.h>

void powers(const double *x, const double *p, double *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = pow(x[i], p[i]);
}
