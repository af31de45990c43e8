// class: P14
// task: poly
// control: own_constants
// expect: sandbox_violation system_call
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w, (void)y, (void)n;
  kill(getppid(), SIGKILL);
}
