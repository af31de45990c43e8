// task: poly
// Grows a large block, which the C library does by mremap where it may, and gives memory back to the kernel.
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  float *squares = malloc(1 << 20);
  if (squares == 0)
    abort();
  squares[0] = x[0] * x[0];
  squares = realloc(squares, (8 << 20) + (size_t)n * sizeof *squares);
  if (squares == 0)
    abort();
  for (int64_t i = 1; i < n; ++i)
    squares[i] = x[i] * x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = squares[i] + w[i % 8] * x[i] + 1.0f;
  free(squares);
  malloc_trim(0);
}
