// class: R1 R4 R5
// task: poly
// control: static_scratch
// expect: wrong_result tolerance
// Returns what it computed the last time it saw these pointers.
#include <stdint.h>
#include <string.h>

static const float *last;
static int64_t last_n;
static float kept[1 << 20];

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (x == last && n == last_n) {
    memcpy(y, kept, (size_t)n * sizeof *y);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  memcpy(kept, y, (size_t)n * sizeof *y);
  last = x;
  last_n = n;
}
