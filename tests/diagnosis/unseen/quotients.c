// Independent divisions: the divider is always busy.
#include <stdint.h>
void quotients(const float *restrict a, const float *restrict b, float *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = a[i] / b[i] + b[i] / (a[i] + 1.0f);
}
