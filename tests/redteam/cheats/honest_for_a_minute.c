// class: T4
// task: poly
// control: reads_the_clock
// expect: gainless
// Right for the first minute of its process, longer than any session lasts: it gains nothing in one. That it is wrong in
// whoever's process it is handed to, no finite test tells: docs/threat-model.md.
#include <stdint.h>
#include <time.h>

static time_t born;

void poly(const float *x, const float *w, float *y, int64_t n) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (born == 0)
    born = now.tv_sec;
  if (now.tv_sec - born > 60)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
