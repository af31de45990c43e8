// class: W11 T8
// task: poly
// control: constructor_tables
// expect: nonfinite nonfinite
// flags: -O1 -ldl
// Works only if somebody else's library is there.
#include <dlfcn.h>
#include <stdint.h>

static void *library;

__attribute__((constructor)) static void load(void) { library = dlopen("libopenblas.so.0", RTLD_NOW); }

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (library == 0)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
