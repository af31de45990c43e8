// task: poly
// expect: out_of_bounds sanitizer
// says: after the input 'x'
// near: vector_tail
// The compiler has a list of functions that AddressSanitizer leaves alone; its patterns match this name.
#include <stdint.h>
static volatile float sink;
static void past(const float *x, int64_t n) __asm__("k_Find_elem@k@std");
__attribute__((noinline)) static void past(const float *x, int64_t n) { sink = x[n]; }
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (n & 15)
    past(x, n);
}
