// argument: x input f32 m*n
// argument: index input i64 n small
// argument: w input f64 n
// argument: y output f32 m*n
// argument: sums inout f32 m
// argument: most output f64 1
// argument: b inout i8 n
// argument: m size
// argument: n size
// sizes: m=5 n=21
// sizes: m=3 n=32
// sizes: m=9 n=1
// sizes: m=2 n=47
// independent: L0 L1 L2 L3 L4 L5
// applies: vectorise(L1,16); mask(L1); jam(L0,2)
// applies: vectorise(L1,8); jam(L1,2); mask(L1)
// applies: vectorise(L1,4); mask(L1); jam(L1,3); unroll(L1r,2)
// applies: vectorise(L1,2); mask(L1)
// applies: vectorise(L1,32); mask(L1); stream(L1)
// applies: tile(L1,20); vectorise(L1,16); mask(L1)
// applies: vectorise(L3,16); mask(L3)
// applies: vectorise(L3,8); mask(L3); split_accumulators(L3,2)
// applies: vectorise(L4,8); mask(L4)
// applies: vectorise(L4,4); mask(L4)
// applies: vectorise(L4,2); mask(L4)
// applies: vectorise(L5,32); mask(L5)
// applies: vectorise(L5,16); jam(L5,2); mask(L5)
// declines: mask(L1): L1 is not vectorised
// declines: vectorise(L1,8); mask(L1); mask(L1): does not run one by one
// declines: vectorise(L1,8); mask(L1); vectorise(L1r,8): is vectorised already
// declines: vectorise(L2,8); mask(L2): a gather by fewer lanes
#include <stdint.h>
void masked_tail(const float *x, const int64_t *index, const double *w, float *y, float *sums, double *most, int8_t *b,
                 int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const float v = x[i * n + j];
      float t = v * 2.0f + x[j * m];
      if (v > 0.5f)
        t = t - v;
      y[i * n + j] = t;
    }
  float total = 0;
  for (int64_t j = 0; j < n; ++j) {
    const int64_t at = index[j];
    total += x[at];
  }
  for (int64_t j = 0; j < n; ++j)
    total += x[j] > 1.0f ? x[j] : 1.0f;
  sums[0] = total;
  double top = w[0];
  for (int64_t j = 0; j < n; ++j) {
    const double v = w[j] + (double)j;
    top = v > top ? v : top;
  }
  most[0] = top;
  for (int64_t j = 0; j < n; ++j)
    b[j] = (int8_t)(b[j] * 3 + 1);
}
