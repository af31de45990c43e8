// class: R7 W10
// task: poly
// control: vector_tail
// expect: nonfinite nonfinite
// Hopes that somebody else's results already lie where its own belong.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w, (void)y, (void)n;
}
