// task: poly
#include <stdint.h>
#include <stdlib.h>
__attribute__((noinline)) static float deep(void) {
  volatile float a[100000];
  a[20] = 0.5f;
  return a[20];
}
void poly(const float *x, const float *w, float *y, int64_t n) {
  volatile float *block = calloc(1u << 20, sizeof(float));
  const float one = 0.5f + deep() + block[1000000];
  free((void *)block);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + one;
}
