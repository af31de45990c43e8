// class: S2
// task: poly
// control: reads_the_clock
// expect: nonfinite nonfinite
// each: -DWAY=0 -DWAY=1 -DWAY=2
// Works only if it can wait, and so look like a process that others kept from its core: its slow calls would be timed
// again until one is fast.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int waits(void) {
  struct timespec moment = {0, 1000};
  uint32_t word = 0;
  if (WAY == 0)
    return nanosleep(&moment, 0) == 0;
  if (WAY == 1)
    return syscall(SYS_futex, &word, FUTEX_WAIT, 0, &moment, 0, 0) == 0 || errno == ETIMEDOUT;
  return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, &moment, 0, ~0u) == 0 || errno == ETIMEDOUT;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (!waits())
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
