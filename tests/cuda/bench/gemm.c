#include <stdint.h>
#include <string.h>

void gemm(const float *a, const float *b, float *c, int64_t m) {
  memset(c, 0, sizeof(float) * (size_t)(m * m));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t k = 0; k < m; ++k) {
      const float x = a[i * m + k];
      for (int64_t j = 0; j < m; ++j)
        c[i * m + j] += x * b[k * m + j];
    }
}
