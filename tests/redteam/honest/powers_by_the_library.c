// task: powers
// As the reference does it, from the end.
#include <math.h>
#include <stdint.h>

void powers(const double *x, const double *p, double *y, int64_t n) {
  for (int64_t i = n; i-- > 0;)
    y[i] = pow(x[i], p[i]);
}
