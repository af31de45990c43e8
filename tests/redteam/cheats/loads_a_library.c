// class: W11 P7
// task: poly
// control: constructor_tables
// expect: sandbox_violation system_call
// flags: -O1 -ldl
// Somebody else's fast code, found when it is called.
#include <dlfcn.h>
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  void *library = dlopen("libopenblas.so.0", RTLD_NOW);
  (void)library;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
