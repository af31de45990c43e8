// A branch on the sign of random numbers, with another chain of operations on each side.
#include <stdint.h>
void coin_flips(const float *restrict x, float *restrict y, int64_t n) {
  float up = 1.0f, down = 1.0f;
  int64_t ups = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > 0.0f) {
      ++ups;
      __asm__ volatile("" : "+x"(up));
      up = x[i];
    } else {
      __asm__ volatile("" : "+x"(down));
      down = x[i];
    }
  }
  y[0] = up + (float)ups;
  y[1] = down;
}
