// class: P10
// task: poly
// control: own_constants
// expect: sandbox_violation system_call
// The limits of another process, which also tell whether it is there.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  struct rlimit limit;
  prlimit(getppid() > 0 ? getppid() : 1, RLIMIT_NOFILE, 0, &limit);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
