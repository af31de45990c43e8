// task: poly_anywhere
// flags: -O2
#include <stdint.h>

typedef float lanes __attribute__((vector_size(16), aligned(4)));

void poly(const float *x, const float *w, float *y, int64_t n) {
  float turn[16];
  for (int k = 0; k < 16; ++k)
    turn[k] = w[k % 8];
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const lanes v = *(const lanes *)(x + i);
    *(lanes *)(y + i) = v * v + *(const lanes *)(turn + i % 8) * v + 1.0f;
  }
  for (; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
