// task: poly
// Allocates, prints for debugging, keeps a table of constants: none of that is a crime.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int calls;

void poly(const float *x, const float *w, float *y, int64_t n) {
  float *squares = malloc((size_t)n * sizeof *squares);
  for (int64_t i = 0; i < n; ++i)
    squares[i] = x[i] * x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = squares[i] + w[i % 8] * x[i] + 1.0f;
  free(squares);
  printf("call %d\n", ++calls);
  fflush(stdout);
}
