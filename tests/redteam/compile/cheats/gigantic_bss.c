// about: memory that the file does not hold: the address space of the process that loads it is limited
// expect: load_error load
// near: honest/large_table.c
static char big[60000000000];
void *kevolve_keep = big;
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
