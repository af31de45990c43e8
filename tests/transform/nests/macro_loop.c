// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: unroll(L0,4)
#include <stdint.h>
#define FOR_ALL(i, n) for (int64_t i = 0; i < (n); ++i)
#define EACH FOR_ALL(i, n)
void macro_loop(const float *x, float *y, int64_t n) {
  EACH y[i] = x[i] * 0.5f;
}
