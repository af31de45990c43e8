// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: vectorise(L0,8)
// applies: jam(L0,4)
#include <stdint.h>
#define SQUARE(v) ((v) * (v))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
void macros(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = LARGER(SQUARE(x[i]), x[i] + 0.25f);
}
