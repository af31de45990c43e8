// class: P1
// task: poly
// control: prints_for_debugging
// expect: cheating|crashed socket_closed|exited
// No answer at all, in the hope that none counts as a good one.
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w, (void)y, (void)n;
  close(3);
}
