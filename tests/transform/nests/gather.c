// argument: index input i64 n small
// argument: table input f32 8*d
// argument: y output f32 n*d
// argument: n size
// argument: d size
// sizes: n=19 d=5
// sizes: n=1 d=1
// sizes: n=4 d=32
// independent: L0 L1
// applies: vectorise(L1,8); jam(L0,4)
// applies: interchange(L0,L1)
// applies: tile(L0,4); unroll(L1,2)
// applies: vectorise(L0,8)
#include <stdint.h>
void gather(const int64_t *index, const float *table, float *y, int64_t n, int64_t d) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < d; ++j)
      y[i * d + j] = table[index[i] * d + j] * 2.0f;
}
