// class: R7
// task: poly
// control: malloc_scratch
// expect: wrong_result|nonfinite tolerance|nonfinite
// Hopes that a fresh block of memory holds what the reference left there.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w;
  float *block = malloc((size_t)n * sizeof *block);
  if (block == 0)
    abort();
  memcpy(y, block, (size_t)n * sizeof *y);
  free(block);
}
