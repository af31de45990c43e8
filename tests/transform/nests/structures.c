// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
#include <stdint.h>
struct pair {
  float low, high;
};
void structures(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    struct pair p = {x[i], x[i]};
    if (p.low > 0.0f)
      p.low = -p.low;
    p.high += 1.0f;
    y[i] = p.low * p.high;
  }
}
