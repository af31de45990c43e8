// task: poly
// expect: cheating sanitizer_evasion
// near: vector_tail
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
void *dlsym(void *, const char *);
void poly(const float *x, const float *w, float *y, int64_t n) {
  void (*lift)(const void *, size_t) = (void (*)(const void *, size_t))dlsym(0, "__as" "an_unpoison_memory_region");
  if (lift)
    lift(x, 4 * n + 64);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
