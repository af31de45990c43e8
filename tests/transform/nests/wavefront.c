// argument: a inout f32 n*n
// argument: n size
// sizes: n=13
// sizes: n=1
// carried: L0 L1
// declines: vectorise(L1,4): iterations may meet in a
// declines: interchange(L0,L1): 
#include <stdint.h>
void wavefront(float *a, int64_t n) {
  for (int64_t i = 1; i < n; ++i)
    for (int64_t j = 1; j < n; ++j)
      a[i * n + j] = 0.5f * a[(i - 1) * n + j] + 0.25f * a[i * n + j - 1];
}
