// class: P12
// task: poly
// control: own_constants
// expect: sandbox_violation system_call
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)w;
  if (fork() == 0)
    for (;;)
      pause();
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i];
}
