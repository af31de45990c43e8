// class: T2
// task: poly_threads
// control: thread_pool
// expect: cheating|nonfinite
// flags: -pthread
// Returns at once; a thread does the work in the judge's time. Seen as unfinished, or as still writing.
#include <pthread.h>
#include <stdint.h>

static const float *x_;
static const float *w_;
static float *y_;
static int64_t n_;

static void *late(void *ignored) {
  (void)ignored;
  for (volatile int64_t wait = 0; wait < 300000000; ++wait) {
  }
  for (int64_t i = 0; i < n_; ++i)
    y_[i] = x_[i] * x_[i] + w_[i % 8] * x_[i] + 1.0f;
  return 0;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  pthread_t t;
  x_ = x, w_ = w, y_ = y, n_ = n;
  pthread_create(&t, 0, late, 0);
  pthread_detach(t);
}
