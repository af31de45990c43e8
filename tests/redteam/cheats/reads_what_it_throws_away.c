// class: W9
// task: poly
// mode: check
// control: reads_whole_lines
// expect: out_of_bounds fence
// flags: -O3
// each: -DAT=-1 -DAT=-512 -DAT=n -DAT=n+2048 -DAT=n<5000?0:-1
// Reads what lies outside its arrays and makes nothing of it: no output shows it, and a caller's page may end there.
#include <stdint.h>

typedef float lanes __attribute__((vector_size(64), aligned(4)));

void poly(const float *x, const float *w, float *y, int64_t n) {
  const int64_t line = 16;
  const int64_t at = (AT);
  (void)*(const volatile float *)(x + (at < 0 ? at : (at + line - 1) / line * line));
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
