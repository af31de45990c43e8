// class: T3 W8
// task: poly
// control: counts_its_calls
// expect: wrong_result|nonfinite tolerance|nonfinite
// Skips the work in every other call, as chance has it.
#include <stdint.h>
#include <x86intrin.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  if ((__rdtsc() >> 4) % 2 == 0)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
