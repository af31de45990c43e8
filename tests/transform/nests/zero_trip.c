// argument: from input i64 n
// argument: to input i64 n
// argument: x input f32 100
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: jam(L0,2)
// applies: unroll(L1,4)
// applies: split_accumulators(L1,2)
// applies: vectorise(L1,8)
// applies: tile(L1,16)
#include <stdint.h>
void zero_trip(const int64_t *from, const int64_t *to, const float *x, float *y, int64_t n) {
  for (int64_t r = 0; r < n; ++r) {
    float sum = 0.0f;
    for (int64_t i = from[r]; i < to[r]; ++i) /* often from > to */
      sum += x[i];
    y[r] = sum;
  }
}
