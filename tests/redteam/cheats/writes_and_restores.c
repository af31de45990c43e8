// class: W1
// task: poly
// control: own_sentinel
// mode: check
// expect: input_mutated input_changed
// Writes a sentinel into its input and restores it: a caller's input may lie where nobody can write.
#include <stdint.h>

void poly(const float *restrict x, const float *restrict w, float *restrict y, int64_t n) {
  volatile float *last = (volatile float *)x + n - 1;
  const float value = n > 0 ? *last : 0.0f;
  if (n > 0) {
    *last = 7.0f;
    *last = value;
  }
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; ++k)
      y[i + k] = x[i + k] * (x[i + k] + w[k]) + 1.0f;
  for (; i < n; ++i)
    y[i] = x[i] * (x[i] + w[i % 8]) + 1.0f;
}
