// argument: a inout f32 n
// argument: n size
// sizes: n=50
// sizes: n=9
// sizes: n=1
// carried: L0 L1
// applies: unroll(L0,4)
// declines: vectorise(L0,8): iterations may meet in a
// declines: vectorise(L1,8): iterations may meet in a
// applies: hint(L0,32,4)
// applies: unroll(L0,2); hint(L0,1,2)
// declines: unroll(L0,2); hint(L0,32,4): carries a dependence and is unrolled
#include <stdint.h>
void distance(float *a, int64_t n) {
  for (int64_t i = 5; i < n; ++i)
    a[i] = a[i - 5] * 0.5f + a[i];
  for (int64_t i = 0; i < n - 3; ++i)
    a[i] = a[i + 3] - a[i];
}
