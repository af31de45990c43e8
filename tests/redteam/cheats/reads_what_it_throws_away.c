// class: W9
// task: poly
// control: reads_whole_lines
// expect: out_of_bounds fence
// each: -DAT=-1 -DAT=-2048 -DAT=n -DAT=n+2048
// Reads what lies outside its arrays and makes nothing of it: no output shows it, and a caller's page may end there.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  const int64_t line = 16;
  const int64_t at = AT < 0 ? AT : (AT + line - 1) / line * line;
  (void)*(const volatile float *)(x + at);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
