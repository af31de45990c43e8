// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: vectorise(L0,4)
#include <stdint.h>
void goto_back(const int32_t *x, int32_t *y, int64_t n) {
  int64_t i = 0;
again:
  y[i] = x[i] + 1;
  if (++i < n)
    goto again;
  for (int64_t k = 0; k < n; ++k)
    y[k] = y[k] * 3;
}
