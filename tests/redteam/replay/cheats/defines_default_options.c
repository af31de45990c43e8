// task: poly
// expect: cheating sanitizer_evasion
// near: vector_tail
#include <stdint.h>
const char *__asan_default_options(void) { return "halt_on_error=0"; }
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
