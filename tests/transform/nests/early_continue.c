// argument: x input f32 n
// argument: y inout f32 n
// argument: total output f32 1
// argument: n size
// sizes: n=29
// sizes: n=1
// independent: L0
// applies: jam(L0,4)
// applies: split_accumulators(L0,4)
// applies: tile(L0,4); unroll(L0,2)
#include <stdint.h>
void early_continue(const float *x, float *y, float *total, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; i++) {
    if (x[i] < 0)
      continue;
    y[i] = x[i] * 2;
    if (x[i] > 3) {
      y[i] += 1;
      continue;
    }
    sum += x[i];
  }
  total[0] = sum;
}
