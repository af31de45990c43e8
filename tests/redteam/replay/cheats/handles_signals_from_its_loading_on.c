// task: poly
// expect: wrong_result processor_state
// says: handler of a signal
// near: constructor_tables
// Its constructor takes signals over, which a caller then never sees.
#include <signal.h>
#include <stdint.h>
static void nothing(int signal) { (void)signal; }
__attribute__((constructor)) static void set(void) {
  signal(SIGTERM, SIG_IGN);
  signal(SIGPIPE, nothing);
}
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
