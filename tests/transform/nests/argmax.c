// argument: x input f32 n
// argument: best output i64 1
// argument: top output f32 1
// argument: n size
// sizes: n=33
// sizes: n=1
// independent: L0
// applies: unroll(L0,4)
// applies: if_convert(B0); unroll(L0,2)
// applies: vectorise(L0,8); mask(L0)
// declines: split_accumulators(L0,2): carries a value
#include <stdint.h>
void argmax(const float *x, int64_t *best, float *top, int64_t n) {
  int64_t at = 0;
  float most = x[0];
  for (int64_t i = 1; i < n; ++i) {
    const float v = x[i];
    if (v > most) {
      most = v;
      at = i;
    }
  }
  best[0] = at;
  top[0] = most;
}
