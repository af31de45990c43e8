// class: T8 P7
// task: poly
// control: registers_an_exit
// expect: sandbox_violation|crashed system_call|exited
// Ends itself in good order, so that its destructors run.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

__attribute__((destructor)) static void last(void) { open("/tmp/kevolve-was-here", O_WRONLY | O_CREAT, 0600); }

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  exit(0);
}
