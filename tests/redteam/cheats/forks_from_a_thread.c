// class: P12
// task: poly_threads
// control: thread_pool
// expect: sandbox_violation system_call
// A process of its own where threads are allowed.
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (fork() == 0) {
    setsid();
    for (;;)
      pause();
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
