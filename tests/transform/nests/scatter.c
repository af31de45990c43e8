// argument: index input i64 n small
// argument: x input f32 n
// argument: bins inout f32 8
// argument: n size
// sizes: n=30
// sizes: n=1
// carried: L0
// applies: unroll(L0,4)
// declines: jam(L0,2): iterations may meet in bins
// declines: vectorise(L0,8): iterations may meet in bins
#include <stdint.h>
void scatter(const int64_t *index, const float *x, float *bins, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    bins[index[i]] += x[i];
}
