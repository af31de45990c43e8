// task: poly
// set: gcc-O3-vec512
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  void one(int64_t i) { y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f; }
  for (int64_t i = 0; i < n; ++i)
    one(i);
}
