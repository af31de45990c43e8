// task: poly
// expect: cheating sanitizer_evasion
// near: vector_tail
#include <stddef.h>
#include <stdint.h>
void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));
void poly(const float *x, const float *w, float *y, int64_t n) {
  if (__asan_unpoison_memory_region)
    __asan_unpoison_memory_region(x, 4 * n + 64);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
