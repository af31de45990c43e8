// argument: x input i32 n
// argument: y output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// declines: jam(L0,2): seen
// declines: vectorise(L0,4): seen
#include <stdint.h>
static int32_t seen;
static int32_t count_up(int32_t v) {
  seen += v;
  return seen;
}
void remembers(const int32_t *x, int32_t *y, int64_t n) {
  seen = 0;
  for (int64_t i = 0; i < n; ++i)
    y[i] = count_up(x[i]);
}
