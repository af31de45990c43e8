// task: poly
// expect: wrong_result|nonfinite tolerance|nonfinite
// says: output 'y'
// near: sets_its_variables
// Deep in its stack, where nothing has been yet, zeros lie: then only the sanitised replay refuses it.
#include <stdint.h>
__attribute__((noinline)) static float deep(void) {
  volatile float a[100000];
  return a[20];
}
void poly(const float *x, const float *w, float *y, int64_t n) {
  const float one = 1.0f + deep();
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + one;
}
