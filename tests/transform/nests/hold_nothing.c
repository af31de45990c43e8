// argument: x input f32 n
// argument: y output f32 n zero
// argument: z output f32 4 zero
// argument: n size
// sizes: n=37
// sizes: n=1
// applies: scalar_replace(L1)
// declines: scalar_replace(L0): y[last] may not be there if L0 never runs
#include <stdint.h>
void hold_nothing(const float *x, float *y, float *z, int64_t n) {
  const int64_t last = n - 1;
  for (int64_t i = 0; i < n; ++i)
    y[last] += x[i];
  for (int64_t i = 0; i < n; ++i)
    z[3] += x[i];
}
