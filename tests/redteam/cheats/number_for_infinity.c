// class: W7
// task: cosh_rows
// control: cosh_by_exp
// expect: wrong_result tolerance
// A large number where the result is infinite.
#include <math.h>
#include <stdint.h>

void cosh_rows(const float *x, float *y, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows * columns; ++i)
    y[i] = fabsf(x[i]) > 89.4159f ? 1e38f : coshf(x[i]);
}
