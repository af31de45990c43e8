// argument: a inout f32 n*n
// argument: n size
// sizes: n=13
// sizes: n=1
// carried: L0
// declines: jam(L0,2): iterations may meet in a
// applies: unroll(L1,2)
#include <stdint.h>
void diagonal(float *a, int64_t n) {
  for (int64_t i = 1; i < n; ++i)
    for (int64_t j = 1; j < n; ++j)
      a[i * n + j] = a[(i - 1) * n + j - 1] * 0.5f + 1.0f;
}
