// Sixteen additions: shorter than the call.
#include <stdint.h>
void few_values(const float *restrict a, const float *restrict b, float *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = a[i] + b[i];
}
