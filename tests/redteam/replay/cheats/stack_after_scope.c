// task: poly
// expect: out_of_bounds sanitizer
// says: stack-use-after-scope on read
// near: keeps_to_its_scope
// Uses an array of a block that has ended. It still holds what it held.
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  const volatile float *ones = 0;
  {
    volatile float block[8];
    for (int k = 0; k < 8; ++k)
      block[k] = 1.0f;
    ones = block;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + ones[i % 8];
}
