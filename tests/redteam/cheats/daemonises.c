// class: P12 P14
// task: poly
// control: own_constants
// expect: sandbox_violation system_call
// each: -DWAY=0 -DWAY=1 -DWAY=2
// Leaves the judge's tree of processes, to work on after it: by fork and setsid, by a bare clone, by vfork.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  long child = WAY == 0 ? fork() : WAY == 1 ? syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) : vfork();
  if (child != 0)
    return;
  setsid();
  if (WAY == 0 && fork() != 0)
    _exit(0);
  for (;;)
    pause();
}
