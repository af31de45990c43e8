// argument: x input f32 n*k
// argument: y output f32 n
// argument: z output f32 12
// argument: n size
// argument: k size
// sizes: n=13 k=7
// sizes: n=1 k=1
// sizes: n=4 k=16
// applies: transpose(t)
// applies: transpose(t); transpose(t)
// applies: transpose(t); transpose(few); flags(Ofast)
// applies: tile(L0,4); transpose(t); vectorise(L2,4)
// applies: tile(L3,3); transpose(t); split_accumulators(L3,2)
// applies: transpose(t); interchange(L0,L1); vectorise(L0,8)
// applies: transpose(t); vectorise(L2,4); mask(L2)
// applies: transpose(few); unroll(L5,2)
#include <stdint.h>
void transposed(const float *x, float *y, float *z, int64_t n, int64_t k) {
  float t[n * k];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < k; ++j)
      t[i * k + j] = x[i * k + j] * (float)(j + 1);
  for (int64_t i = 0; i < n; ++i) {
    float sum = 0.0f;
    for (int64_t j = 0; j < k; ++j)
      sum += t[i * k + j] * t[i * k + j];
    y[i] = sum;
  }
  float few[12];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j)
      few[3 * i + j] = (float)(i - j);
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 3; ++j)
      z[i * 3 + j] = few[i * 3 + j] + 1.0f;
}
