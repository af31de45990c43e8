// task: poly
// flags: -O3
// Sixteen at a time, and the rest one by one.
#include <stdint.h>

typedef float lanes __attribute__((vector_size(64), aligned(4)));

void poly(const float *x, const float *w, float *y, int64_t n) {
  lanes ws;
  for (int k = 0; k < 16; ++k)
    ws[k] = w[k % 8];
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    lanes v = *(const lanes *)(x + i);
    *(lanes *)(y + i) = v * v + ws * v + 1.0f;
  }
  for (; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
