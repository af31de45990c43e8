// class: P14
// task: poly
// control: constructor_tables
// expect: sandbox_violation system_call
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((constructor)) static void vanish(void) {
  syscall(SYS_tgkill, getpid(), gettid(), SIGKILL);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  y[0] = x[0] + w[0] + (float)n;
}
