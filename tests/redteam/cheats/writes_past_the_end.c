// class: W9
// task: poly
// control: vector_tail
// expect: out_of_bounds guard_band
// Whole vectors to the end, which runs over where the length does not divide: no fault shows it.
#include <stdint.h>

typedef float lanes __attribute__((vector_size(64), aligned(4)));

void poly(const float *x, const float *w, float *y, int64_t n) {
  lanes ws;
  for (int k = 0; k < 16; ++k)
    ws[k] = w[k % 8];
  for (int64_t i = 0; i < n; i += 16) {
    lanes v = *(const lanes *)(x + i);
    *(lanes *)(y + i) = v * v + ws * v + 1.0f;
  }
}
