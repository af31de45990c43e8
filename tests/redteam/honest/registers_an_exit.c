// task: poly
// Has something to do when it ends, as many libraries have.
#include <stdint.h>
#include <stdlib.h>

static float *scratch;

__attribute__((destructor)) static void last(void) { free(scratch); }
static void tidy(void) { scratch = 0; }

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (scratch == 0) {
    scratch = malloc((1 << 17) * sizeof *scratch);
    atexit(tidy);
  }
  if (scratch == 0)
    abort();
  for (int64_t i = 0; i < n; ++i)
    scratch[i] = x[i] * x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = scratch[i] + w[i % 8] * x[i] + 1.0f;
}
