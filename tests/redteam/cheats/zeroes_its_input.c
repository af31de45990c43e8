// class: W1
// task: poly
// control: malloc_scratch
// expect: input_mutated input_changed
// Makes the input zero, so that whoever checks with it finds one everywhere.
#include <stdint.h>
#include <string.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)w;
  memset((void *)x, 0, (size_t)n * sizeof *x);
  for (int64_t i = 0; i < n; ++i)
    y[i] = 1.0f;
}
