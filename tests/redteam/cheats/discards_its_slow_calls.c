// class: S2 T5
// task: poly
// control: reads_the_clock
// expect: gainless
// Idles after a call that went badly, so that the judge sees a process that waited for its core, and plays the pair
// again: what counts would be the best of several.
#include <sched.h>
#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

static uint64_t best;

void poly(const float *x, const float *w, float *y, int64_t n) {
  uint64_t start = __rdtsc();
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  uint64_t took = __rdtsc() - start;
  if (best == 0 || took < best)
    best = took;
  if (took > best + best / 50)
    for (int i = 0; i < 100; ++i) {
      struct timespec t = {0, 1};
      nanosleep(&t, 0);
      sched_yield();
    }
}
