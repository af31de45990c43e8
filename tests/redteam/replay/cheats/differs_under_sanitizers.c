// task: poly
// expect: out_of_bounds sanitizer
// near: vector_tail
// Leaves the access out where the compiler says that it sanitises.
#include <stdint.h>
static volatile float sink;
void poly(const float *x, const float *w, float *y, int64_t n) {
#if !__has_feature(address_sanitizer)
  sink = x[n];
#endif
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
