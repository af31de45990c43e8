// class: P14
// task: poly
// control: own_constants
// expect: sandbox_violation system_call
// Its end by SIGSYS would look like somebody else's doing.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  syscall(SYS_tgkill, getpid(), gettid(), SIGSYS);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
