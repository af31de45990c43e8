// task: poly
// Chooses its code by the processor, while it is loaded, as the C library does.
#include <stdint.h>

static float plain(float x, float w) { return x * x + w * x + 1.0f; }
static float factored(float x, float w) { return x * (x + w) + 1.0f; }

static float (*choose(void))(float, float) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("sse4.2") ? plain : factored;
}
static float step(float x, float w) __attribute__((ifunc("choose")));

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = step(x[i], w[i % 8]);
}
