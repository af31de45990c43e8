// A filter that decays: after some hundred steps its state is denormal.
#include <stdint.h>
void decay(const double *restrict x, double *restrict y, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) {
    double s = x[r];
    double t = 0.0;
    for (int64_t i = 0; i < n; ++i) {
      s = s * 0.97;
      t += s;
    }
    y[r] = t;
  }
}
