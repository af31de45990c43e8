// class: W5
// task: poly
// control: unrolled_by_eight
// mode: check
// expect: wrong_result tolerance
// Is wrong where an input is zero with a sign, which normal values never are.
#include <stdint.h>

void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] == 0.0f && __builtin_signbitf(x[i]) ? 0.0f : x[i] * (x[i] + w[i % 8]) + 1.0f;
}
