// argument: x input i32 n
// argument: y inout i32 3
// argument: m size
// argument: n size
// sizes: m=5000 n=2
// sizes: m=2 n=9
// declines: scalar_replace(L1): L1 updates no element
#include <stdint.h>
void hold_guarded(const int32_t *x, int32_t *y, int64_t m, int64_t n) {
  for (int64_t k = 0; k < m; ++k)
    for (int64_t i = 0; i < n; ++i)
      if (k < 3) /* y has no more elements */
        y[k] += x[i];
}
