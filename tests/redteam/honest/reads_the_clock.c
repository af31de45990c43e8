// task: poly
// Times itself for its author, and keeps the figures.
#include <stdint.h>
#include <time.h>

static int64_t spent[64];
static unsigned calls;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  int64_t start = now();
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  spent[calls++ % 64] = now() - start;
}
