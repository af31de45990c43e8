// argument: x input f32 n
// argument: y output f32 n
// argument: n size
// sizes: n=25
// sizes: n=1
// independent: L0
// applies: jam(L0,4)
// applies: split_index_set(L0,B0); vectorise(L0,8)
// declines: vectorise(L0,8): a guarded
// declines: if_convert(B0): does more than set scalars
#include <stdint.h>
void guarded(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float v = 1.0f;
    if (i < n - 3)
      v = x[i + 3];
    y[i] = v;
  }
}
