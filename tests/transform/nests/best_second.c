/* the second best one: of one element there is none, and nothing is looked at */
// argument: x input f32 (m-1)*s+1
// argument: best output i64 2
// argument: m size
// argument: s size
// sizes: m=3 s=16777216
// sizes: m=1 s=16777216
#include <stdint.h>
void best_second(const float *x, int64_t *best, int64_t m, int64_t s) {
  int64_t a = 0;
  for (int64_t c = 1; c < m; ++c)
    if (x[c * s] > x[a * s]) a = c;
  int64_t b = a == 0 ? 1 : 0;
  for (int64_t c = 0; c < m; ++c)
    if (c != a && x[c * s] > x[b * s]) b = c;
  best[0] = a;
  best[1] = b;
}
