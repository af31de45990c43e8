// class: P12 P14
// task: poly_threads
// control: thread_pool
// expect: cheating too_many_threads
// flags: -O1 -pthread
// Many threads that do nothing: each costs the kernel memory and a pid.
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static void *idle(void *unused) {
  (void)unused;
  for (;;) {
    struct timespec t = {1, 0};
    nanosleep(&t, 0);
  }
  return 0;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 16384);
  pthread_t t;
  for (int i = 0; i < 600; ++i)
    if (pthread_create(&t, &small, idle, 0) != 0)
      break;
  struct timespec a_moment = {0, 200000000};
  nanosleep(&a_moment, 0);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
