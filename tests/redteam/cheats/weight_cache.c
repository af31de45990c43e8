// class: R6
// task: poly
// control: static_scratch
// expect: wrong_result tolerance
// Takes the weights for constant: reads them in the first call only.
#include <stdint.h>
#include <string.h>

static float kept[8];
static int seen;

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (!seen)
    memcpy(kept, w, sizeof kept);
  seen = 1;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + kept[i % 8] * x[i] + 1.0f;
}
