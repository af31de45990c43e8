// class: T2 P14
// task: poly_threads
// control: thread_pool
// expect: sandbox_violation system_call
// flags: -O1 -pthread
// A thread that waits as vfork does, where no signal to stop reaches it: the process would never be frozen, and the
// judge would wait for that.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

static char stack[65536] __attribute__((aligned(64)));

static int sleeper(void *unused) {
  (void)unused;
  for (;;) {
    struct timespec t = {1, 0};
    nanosleep(&t, 0);
  }
}

static void *wait_for_ever(void *unused) {
  clone(sleeper, stack + sizeof stack, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_VFORK,
        unused);
  return 0;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  static int started;
  pthread_t t;
  if (!started)
    started = pthread_create(&t, 0, wait_for_ever, 0) == 0;
  struct timespec a_moment = {0, 20000000};
  nanosleep(&a_moment, 0);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
