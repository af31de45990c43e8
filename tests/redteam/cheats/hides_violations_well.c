// class: P2
// task: poly
// control: constructor_tables
// expect: sandbox_violation system_call
// As hides_violations, with garbage above the signal's number that the kernel does not look at.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kernel_action {
  void *handler;
  unsigned long flags;
  void *restorer;
  unsigned long mask;
};

__attribute__((constructor)) static void deafen(void) {
  struct kernel_action ignore;
  memset(&ignore, 0, sizeof ignore);
  ignore.handler = (void *)SIG_IGN;
  syscall(SYS_rt_sigaction, 0x100000000L | SIGSYS, &ignore, 0, 8);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  socket(AF_INET, SOCK_STREAM, 0);
}
