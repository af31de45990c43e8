// task: cosh_rows
// By the exponential, which overflows a little before its half does.
#include <math.h>
#include <stdint.h>

void cosh_rows(const float *x, float *y, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows * columns; ++i) {
    const float half = expf(0.5f * fabsf(x[i]));
    y[i] = 0.5f * half * half + 0.5f / half / half;
  }
}
