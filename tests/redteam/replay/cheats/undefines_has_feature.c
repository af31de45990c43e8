// task: poly
// expect: cheating sanitizer_evasion
// near: vector_tail
#include <stdint.h>
#undef __has_feature
enum { address_sanitizer };
static int __has_feature(int x) { return x; }
static volatile float sink;
void poly(const float *x, const float *w, float *y, int64_t n) {
  if (!__has_feature(address_sanitizer))
    sink = x[n];
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
