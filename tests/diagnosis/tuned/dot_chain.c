// Each addition waits for the one before: floating additions may not be reordered.
#include <stdint.h>
void dot_chain(const float *restrict a, const float *restrict b, float *restrict y, int64_t n) {
  float s = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    s += a[i] * b[i];
  y[0] = s;
}
