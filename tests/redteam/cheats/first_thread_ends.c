// class: T2 P14
// task: poly_threads
// control: thread_pool
// expect: timeout|crashed|cheating
// flags: -O1 -pthread
// Ends the thread that was called, and leaves the process to another, so that nobody answers and nobody has ended.
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *stay(void *unused) {
  for (volatile int64_t i = 0;; ++i) {
  }
  return unused;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  pthread_t t;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (pthread_create(&t, 0, stay, 0) == 0)
    syscall(SYS_exit, 0);
}
