/* the first one that is valid becomes the best one before anything is compared */
// argument: x input f32 n
// argument: best output i64 1
// argument: n size
// sizes: n=40
// sizes: n=1
// sizes: n=3
#include <stdint.h>
void best_sentinel2(const float *x, int64_t *best, int64_t n) {
  int64_t at = n < 40 ? (int64_t)1 << 42 : 0;
  for (int64_t i = 0; i < n; ++i)
    if (n >= 40 && x[i] > x[at])
      at = i;
  best[0] = at;
}
