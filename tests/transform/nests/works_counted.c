/* a loop that works until something holds, whose test counts how often it is asked */
// argument: k input i32 n*m small
// argument: h output i32 n
// argument: n size
// argument: m size
// sizes: n=7 m=19
// sizes: n=3 m=0
// declines: first(W0,0): does more than look for a place
#include <stdint.h>
static int often;
static int counts(int32_t v) {
  static int last;
  last = ++often % 7;
  return last == 6 && v < 6;
}
void works_counted(const int32_t *k, int32_t *h, int64_t n, int64_t m) {
  often = 0;
  for (int64_t r = 0; r < n; ++r) {
    int32_t sum = 0;
    for (int64_t i = 0; i < m; ++i) {
      sum += k[r * m + i];
      if (counts(k[r * m + i]))
        break;
    }
    h[r] = sum;
  }
}
