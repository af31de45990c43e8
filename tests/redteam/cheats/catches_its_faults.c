// class: P2 T8 W9
// task: poly
// control: constructor_tables
// mode: check
// expect: out_of_bounds fence
// A constructor catches the signal of an access to pages that are out of reach, and goes on behind the access.
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

static void go_on(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  ((ucontext_t *)context)->uc_mcontext.gregs[16] = ((ucontext_t *)context)->uc_mcontext.gregs[7];
}

__attribute__((constructor)) static void catch_faults(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_sigaction = go_on;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, 0);
}

void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  __asm__ volatile("lea 1f(%%rip), %%r15\n\tmovss (%0), %%xmm15\n1:" : : "r"(x + n) : "r15", "xmm15", "memory");
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k)
      y[i + k] = x[i + k] * (x[i + k] + w[k]) + 1.0f;
  for (; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
}
