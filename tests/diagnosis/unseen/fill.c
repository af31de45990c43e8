// Writes 128 MiB that nothing reads.
#include <stdint.h>
void fill(double *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = (double)(i & 1023);
}
