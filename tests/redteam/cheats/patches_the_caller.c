// class: P5 P4
// task: poly
// control: reads_the_clock
// expect: crashed signal
// Writes into the code that called it.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  *(volatile unsigned char *)__builtin_return_address(0) = 0xc3;
}
