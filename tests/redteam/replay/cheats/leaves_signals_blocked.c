// task: poly
// expect: wrong_result processor_state
// says: mask of signals
// near: flushes_for_itself
#include <signal.h>
#include <stdint.h>
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, 0);
}
