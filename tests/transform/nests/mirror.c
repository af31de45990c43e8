// argument: a inout f32 n*n
// argument: n size
// sizes: n=12
// sizes: n=1
// carried: L0
#include <stdint.h>
void mirror(float *a, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < i; ++j)
      a[j * n + i] = a[i * n + j];
}
