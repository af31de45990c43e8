// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
#include <stdint.h>
void pointer_walk(const float *x, float *y, int64_t n) {
  const float *end = x + n;
  float *to = y;
  while (x < end)
    *to++ = *x++ + 1.0f;
}
