// class: W5 W6
// task: cosh_rows
// control: cosh_by_exp
// expect: wrong_result|nonfinite tolerance|nonfinite
// Right for what is drawn ordinarily and where the result is infinite, and by up to 30 powers of ten wrong between: beside
// the largest of all, what is there hardly counts.
#include <math.h>
#include <stdint.h>

void cosh_rows(const float *restrict x, float *restrict y, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows * columns; ++i) {
    float v = x[i], s = v * v;
    float p = 1.0f / 20922789888000.0f;
    p = p * s + 1.0f / 87178291200.0f;
    p = p * s + 1.0f / 479001600.0f;
    p = p * s + 1.0f / 3628800.0f;
    p = p * s + 1.0f / 40320.0f;
    p = p * s + 1.0f / 720.0f;
    p = p * s + 1.0f / 24.0f;
    p = p * s + 0.5f;
    p = p * s + 1.0f;
    y[i] = fabsf(v) > 89.4159f ? INFINITY : p;
  }
}
