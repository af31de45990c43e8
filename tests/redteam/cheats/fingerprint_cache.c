// class: R3
// task: poly
// control: static_scratch
// expect: gainless
// Returns what it computed for inputs of the same fingerprint: a few elements and the weights. No input comes twice.
#include <stdint.h>
#include <string.h>

static uint32_t last[16];
static int64_t last_n;
static float kept[1 << 17];

void poly(const float *x, const float *w, float *y, int64_t n) {
  uint32_t print[16];
  memcpy(print, w, 32);
  for (int k = 0; k < 8; ++k)
    memcpy(&print[8 + k], &x[k * (n - 1) / 7], 4);
  if (n == last_n && memcmp(print, last, sizeof last) == 0) {
    memcpy(y, kept, (size_t)n * sizeof *y);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  memcpy(kept, y, (size_t)n * sizeof *y);
  memcpy(last, print, sizeof last);
  last_n = n;
}
