// class: R3
// task: poly
// control: static_scratch
// expect: wrong_result tolerance
// A fingerprint of one bit: half of all calls return the results of another.
#include <stdint.h>
#include <string.h>

static int64_t last_n[2];
static float kept[2][1 << 17];

void poly(const float *x, const float *w, float *y, int64_t n) {
  int bit = x[0] > 0.5f;
  if (n == last_n[bit]) {
    memcpy(y, kept[bit], (size_t)n * sizeof *y);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  memcpy(kept[bit], y, (size_t)n * sizeof *y);
  last_n[bit] = n;
}
