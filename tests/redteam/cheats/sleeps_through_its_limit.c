// class: P14
// task: poly_threads
// control: thread_pool
// expect: timeout call_limit
// flags: -O1 -pthread
// Asleep for most of its call's limit and at work when that passes, as if it had not been let run: no verdict, tried again.
#include <stdint.h>
#include <time.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  const struct timespec most = {0, 700000000};
  nanosleep(&most, 0);
  for (;;) {
  }
}
