// task: poly
// Allocates where a thread has nothing yet; its constructor does it early for the thread that loads it.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static _Thread_local float *scratch;
static _Thread_local int64_t calls = 3;
static void make(void) {
  scratch = malloc(8 * sizeof *scratch);
  if (scratch == 0)
    abort();
}
__attribute__((constructor)) static void early(void) { make(); }
void poly(const float *x, const float *w, float *y, int64_t n) {
  if (scratch == 0)
    make();
  if (++calls < 4) // what its threads begin with
    abort();
  memcpy(scratch, w, 8 * sizeof *scratch);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + scratch[i % 8] * x[i] + 1.0f;
}
