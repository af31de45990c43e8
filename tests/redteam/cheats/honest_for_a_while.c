// class: T4
// task: poly
// control: reads_the_clock
// expect: nonfinite nonfinite
// Honest for the first moments of its life, when it believes itself checked.
#include <stdint.h>
#include <time.h>

static int64_t spent;

void poly(const float *x, const float *w, float *y, int64_t n) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  if (spent > 100000)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  clock_gettime(CLOCK_MONOTONIC, &b);
  spent += (b.tv_sec - a.tv_sec) * 1000000000ll + b.tv_nsec - a.tv_nsec;
}
