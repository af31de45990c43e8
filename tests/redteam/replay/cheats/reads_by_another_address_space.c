// task: poly
// expect: out_of_bounds sanitizer
// says: after the input 'x'
// near: vector_tail
// AddressSanitizer leaves accesses through other address spaces alone; space 1 is ordinary memory on this processor.
#include <stdint.h>
static volatile float sink;
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (n & 15)
    sink = ((const float __attribute__((address_space(1))) *)(uintptr_t)x)[n];
}
