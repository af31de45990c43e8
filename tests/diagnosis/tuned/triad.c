// Two streams in and one out, each far larger than any cache.
#include <stdint.h>
void triad(const float *restrict a, const float *restrict b, float *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = a[i] + 3.0f * b[i];
}
