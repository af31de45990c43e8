// argument: index input i64 n small
// argument: table input f32 8
// argument: y output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// independent: L0
// applies: vectorise(L0,8)
// applies: vectorise(L0,16); jam(L0,2)
#include <stdint.h>
void lookup(const int64_t *index, const float *table, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = table[index[i]] + (float)(index[i] > 3);
}
