// task: poly
// expect: wrong_result processor_state
// says: mask of signals
// near: flushes_for_itself
// Its constructor blocks all signals of the thread that loads it.
#include <signal.h>
#include <stdint.h>
__attribute__((constructor)) static void set(void) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, 0);
}
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
