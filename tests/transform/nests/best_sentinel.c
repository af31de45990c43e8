/* no place yet; only where something is valid is the place looked at */
// argument: x input f32 n
// argument: k input i32 n small
// argument: best output i64 1
// argument: n size
// sizes: n=40
// sizes: n=1
// sizes: n=3
#include <stdint.h>
void best_sentinel(const float *x, const int32_t *k, int64_t *best, int64_t n) {
  int64_t at = INT64_MIN / 8;
  if (n > 0 && k[0] < 100) at = k[0] > 50 ? 0 : at;
  for (int64_t i = 0; i < n; ++i)
    if (k[i] > 100 && x[i] > x[at])
      at = i;
  best[0] = at;
}
