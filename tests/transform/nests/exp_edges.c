// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=500
// applies: vectorise(L0,16); math
// applies: math
#include <math.h>
#include <stdint.h>
void exp_edges(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t k = i % 10;
    float v = x[i] * 20.0f;
    v = k == 0 ? -INFINITY : k == 1 ? INFINITY : k == 2 ? 88.72f : k == 3 ? 88.73f : k == 4 ? -87.3f : k == 5 ? -120.0f : v;
    y[i] = expf(v);
  }
}
