// task: poly
// expect: crashed|out_of_bounds undefined_behaviour|sanitizer
// near: has_scratch_in_every_thread
// Its constructor allocates for the thread that loads it: in every other thread of its caller the pointer is null.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static _Thread_local float *scratch;
__attribute__((constructor)) static void make(void) { scratch = malloc(8 * sizeof *scratch); }
void poly(const float *x, const float *w, float *y, int64_t n) {
  memcpy(scratch, w, 8 * sizeof *scratch);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + scratch[i % 8] * x[i] + 1.0f;
}
