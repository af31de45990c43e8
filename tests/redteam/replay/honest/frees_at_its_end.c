// task: poly
// Frees at its end what it allocated.
#include <stdint.h>
#include <stdlib.h>
static float *scratch;
static int64_t room;
__attribute__((destructor)) static void end(void) { free(scratch); }
void poly(const float *x, const float *w, float *y, int64_t n) {
  if (n > room) {
    free(scratch);
    scratch = malloc((size_t)n * sizeof *scratch);
    room = n;
  }
  if (n > 0 && scratch == 0)
    abort();
  for (int64_t i = 0; i < n; ++i)
    scratch[i] = x[i] * x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = scratch[i] + w[i % 8] * x[i] + 1.0f;
}
