// class: P12 T2
// task: poly_threads
// control: thread_pool
// expect: gainless
// flags: -O1 -pthread
// Threads that spin for ever after the call, on every core that the rival needs.
#include <pthread.h>
#include <stdint.h>

static void *spin(void *unused) {
  (void)unused;
  for (volatile int64_t i = 0;; ++i) {
  }
  return 0;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  static int started;
  pthread_t t;
  for (; started < 2; ++started)
    if (pthread_create(&t, 0, spin, 0) == 0)
      pthread_detach(t);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
