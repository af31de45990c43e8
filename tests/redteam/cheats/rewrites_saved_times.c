// class: P4 P5
// task: poly
// control: reads_the_clock
// expect: gainless
// Sets every word above its frame that looks like a time of now forward: none of them is the judge's.
#include <stdint.h>
#include <time.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  uint64_t now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
  uint64_t *word = __builtin_frame_address(0);
  for (int i = 2; i < 128; ++i)
    if (word[i] < now && now - word[i] < 1000000000u)
      word[i] += 1000000;
}
