// task: poly_threads
// flags: -O1 -pthread
// Starts a thread per call, which yields while it waits, and joins it.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int ready;
static const float *x_;
static const float *w_;
static float *y_;
static int64_t n_;

static void *odd(void *unused) {
  (void)unused;
  while (!atomic_load(&ready))
    sched_yield();
  for (int64_t i = 1; i < n_; i += 2)
    y_[i] = x_[i] * x_[i] + w_[i % 8] * x_[i] + 1.0f;
  return 0;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  pthread_t t;
  x_ = x, w_ = w, y_ = y, n_ = n;
  atomic_store(&ready, 0);
  int threaded = pthread_create(&t, 0, odd, 0) == 0;
  atomic_store(&ready, 1);
  for (int64_t i = 0; i < n; i += threaded ? 2 : 1)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (threaded)
    pthread_join(t, 0);
}
