// task: poly
// Tables of constants made while it is loaded.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static double *table;

__attribute__((constructor)) static void build(void) {
  table = malloc(4096 * sizeof *table);
  for (int i = 0; table != 0 && i < 4096; ++i)
    table[i] = exp2(i / 4096.0);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  float one = (float)table[0];
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + one;
}
