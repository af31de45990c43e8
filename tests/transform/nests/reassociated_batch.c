// argument: x input f32 b*48
// argument: y input f32 b*64
// argument: o output f32 b*64
// argument: b size
// sizes: b=4
// sizes: b=1
// applies: fuse(L0,L4); reassociate(product)
// applies: fuse(L0,L4); reassociate(product); vectorise(L3,8); mask(L3); jam(L2,2); jam(L1,4); vectorise(L6,8); jam(L5,4)
// declines: reassociate(product): product is not filled by the sums of one product alone
#include <stdint.h>
void reassociated_batch(const float *x, const float *y, float *o, int64_t b) {
  static float product[4 * 12 * 16];
  for (int64_t a = 0; a < b; ++a)
    for (int64_t i = 0; i < 12; ++i)
      for (int64_t j = 0; j < 16; ++j) {
        float sum = 0.0f;
        for (int64_t m = 0; m < 4; ++m)
          sum += x[a * 48 + i + m * 12] * y[a * 64 + j + m * 16];
        product[a * 192 + i * 16 + j] = sum;
      }
  for (int64_t a = 0; a < b; ++a)
    for (int64_t m = 0; m < 4; ++m)
      for (int64_t j = 0; j < 16; ++j) {
        float sum = 0.0f;
        for (int64_t i = 0; i < 12; ++i)
          sum += x[a * 48 + m * 12 + i] * product[a * 192 + j + i * 16];
        o[a * 64 + m * 16 + j] = sum;
      }
}
