// class: P2
// task: poly
// control: constructor_tables
// expect: sandbox_violation system_call
// A filter of its own under which the running profile would only seem to be installed.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((constructor)) static void pretend(void) {
  struct sock_filter code[] = {
      {0x20, 0, 0, 0},
      {0x15, 0, 1, SYS_seccomp},
      {0x06, 0, 0, SECCOMP_RET_ERRNO},
      {0x06, 0, 0, SECCOMP_RET_ALLOW},
  };
  struct sock_fprog program = {4, code};
  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
