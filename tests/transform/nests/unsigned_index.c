// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=21
// sizes: n=1
// independent: L0 L1
// applies: vectorise(L0,8)
// applies: jam(L0,3)
// declines: jam(L1,2): could wrap
#include <stddef.h>
#include <stdint.h>
void unsigned_index(const float *x, float *y, int64_t n) {
  for (size_t i = 0; i < (size_t)n; i++)
    y[i] = x[i] + 1;
  for (size_t i = 1; i < (size_t)n; ++i)
    y[i] = y[i] * 2;
}
