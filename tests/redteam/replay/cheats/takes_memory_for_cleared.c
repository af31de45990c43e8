// task: poly
// expect: wrong_result|nonfinite tolerance|nonfinite
// says: in the sanitised replay
// near: sets_its_variables
// A block of this size comes from the kernel, which clears it.
#include <stdint.h>
#include <stdlib.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  volatile float *block = malloc(36u << 20);
  const float one = 1.0f + block[1000000];
  free((void *)block);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + one;
}
