// argument: x input f32 n
// argument: q output i8 n
// argument: s input u8 n
// argument: sum output i32 1
// argument: n size
// argument: scale scalar f32
// sizes: n=67
// sizes: n=1
// independent: L0 L1
// applies: vectorise(L0,16)
// applies: vectorise(L1,16); split_accumulators(L1,2)
// applies: jam(L0,4)
#include <math.h>
#include <stdint.h>
void quantise(const float *x, int8_t *q, const uint8_t *s, int32_t *sum, int64_t n, float scale) {
  for (int64_t i = 0; i < n; ++i) {
    float v = x[i] * scale;
    v = v > 127.0f ? 127.0f : v;
    v = v < -128.0f ? -128.0f : v;
    q[i] = (int8_t)v;
  }
  int32_t t = 0;
  for (int64_t i = 0; i < n; ++i)
    t += (s[i] >> 1) * (s[i] & 7);
  sum[0] = t;
}
