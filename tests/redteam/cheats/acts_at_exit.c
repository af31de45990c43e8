// class: T8 P7
// task: poly
// control: registers_an_exit
// expect: gainless
// Keeps its mischief for the end, which no candidate lives to see.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>

static void leave(void) { open("/tmp/kevolve-was-here", O_WRONLY | O_CREAT, 0600); }
__attribute__((destructor)) static void last(void) { leave(); }

void poly(const float *x, const float *w, float *y, int64_t n) {
  static int registered;
  if (!registered)
    registered = atexit(leave) == 0;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
