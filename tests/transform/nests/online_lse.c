// argument: x input f64 rows*cols
// argument: w input f64 cols
// argument: y output f64 rows
// argument: z output f64 rows
// argument: rows size
// argument: cols size
// sizes: rows=9 cols=53
// sizes: rows=1 cols=1
// sizes: rows=5 cols=16
// independent: L0 L1 L2 L3
// applies: online(L1,L2,16)
// applies: online(L1,L2,16); vectorise(L0,4)
// applies: online(L1,L2,8); vectorise(L1,8); vectorise(L2,8); split_accumulators(L2,2)
// applies: online(L3,L4,8)
// applies: online(L3,L4,8); unroll(L4o,3); scalar_replace(L4)
// applies: online(L1,L2,4); online(L3,L4,4); jam(L0,4)
#include <math.h>
#include <stdint.h>
void online_lse(const double *x, const double *w, double *y, double *z, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    double m = -1e300;
    for (int64_t c = 0; c < cols; ++c)
      if (x[r * cols + c] > m)
        m = x[r * cols + c];
    double s = 0.0;
    double moment = 0.0;
    int64_t large = 0;
    for (int64_t c = 0; c < cols; ++c) {
      const double e = exp(x[r * cols + c] - m);
      const double v = w[c];
      s = s + e;
      moment -= x[r * cols + c] > 0.5 ? e : e * v / 3.0;
      large += x[r * cols + c] > 0.25 ? 1 : 0;
    }
    y[r] = m + log(s) + moment / s + (double)large;

    double top = -1e30;
    z[r] = 0.0;
    for (int64_t c = 0; c < cols; ++c)
      top = fmax(x[r * cols + c] * w[c], top);
    for (int64_t c = 0; c < cols; ++c)
      z[r] += exp(x[r * cols + c] * w[c] - top);
    z[r] += top;
  }
}
