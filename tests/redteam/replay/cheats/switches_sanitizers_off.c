// task: poly
// expect: out_of_bounds sanitizer
// near: says_no_sanitize
#include <stdint.h>
static volatile float sink;
__attribute__((no_sanitize_address, noinline)) static void peek(const float *x, int64_t n) { sink = x[n]; }
void poly(const float *x, const float *w, float *y, int64_t n) {
  peek(x, n);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
