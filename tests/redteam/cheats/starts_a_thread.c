// class: T2
// task: poly
// control: own_constants
// expect: sandbox_violation system_call
// flags: -pthread
#include <pthread.h>
#include <stdint.h>

static const float *x_;
static const float *w_;
static float *y_;
static int64_t n_;

static void *late(void *ignored) {
  (void)ignored;
  for (int64_t i = 0; i < n_; ++i)
    y_[i] = x_[i] * x_[i] + w_[i % 8] * x_[i] + 1.0f;
  return 0;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  pthread_t t;
  x_ = x, w_ = w, y_ = y, n_ = n;
  pthread_create(&t, 0, late, 0);
}
