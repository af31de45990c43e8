// A conversion keeps the upper part of its destination, so that it waits for the value that was there before.
#include <stdint.h>
void converted(const int64_t *restrict x, double *restrict y, int64_t n) {
  double d = 0.0;
  for (int64_t i = 0; i < n; ++i) {
    __asm__ volatile("vcvtsi2sd %1, %0, %0\n\tvsqrtsd %0, %0, %0" : "+x"(d) : "r"(x[i]));
    y[i] = d;
  }
}
