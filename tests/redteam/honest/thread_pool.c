// task: poly_threads
// flags: -O1 -pthread
// A worker that lives as long as the process, and is idle between calls.
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const float *x_;
static const float *w_;
static float *y_;
static int64_t from, to;
static int started, busy;

static void part(const float *x, const float *w, float *y, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}

static void *work(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!busy)
      pthread_cond_wait(&changed, &lock);
    part(x_, w_, y_, from, to);
    busy = 0;
    pthread_cond_broadcast(&changed);
  }
  return 0;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (!started) {
    pthread_t t;
    started = pthread_create(&t, 0, work, 0) == 0;
  }
  pthread_mutex_lock(&lock);
  x_ = x, w_ = w, y_ = y, from = n / 2, to = n, busy = started;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  part(x, w, y, 0, started ? n / 2 : n);
  pthread_mutex_lock(&lock);
  while (busy)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}
