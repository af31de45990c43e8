/* places that move on several times a round, and hits behind two conditions */
// argument: in input u8 n*m
// argument: x input f32 n*4
// argument: out output i32 2*n*m
// argument: y output f32 n*4
// argument: hit output i32 m
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=16 m=33
// sizes: n=3 m=0
// sizes: n=0 m=3
// independent: L0 L1 L2 L3
// applies: vectorise(L1,8)
// applies: unroll(L2,2)
// applies: first(W0,32); vectorise(W0,8)
// applies: first(W0,0); vectorise(L3,8)
#include <stdint.h>
static int touches(const float *box, float at) { return at + 0.5f >= box[0] && at - 0.5f <= box[1] + 0.25f; }
void steps_twice(const uint8_t *in, const float *x, int32_t *out, float *y, int32_t *hit, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t *to = out + i * m * 2;
    for (int64_t k = 0; k < m; ++k) {
      *to++ = in[i * m + k] & 15;
      *to++ = in[i * m + k] >> 4;
    }
  }
  int64_t o = 0;
  for (int64_t i = 0; i < n; ++i) {
    y[o] = x[o] * 2.0f;
    o += 1;
    y[o + 1] = x[o + 1];
    y[o] = x[o] - x[o + 1];
    o += 2;
    y[o] = x[o] + 1.0f;
    o += 1;
  }
  for (int64_t j = 0; j < m; ++j) {
    const float at = (float)j * 0.3f;
    int32_t found = -1;
    const float *box = x;
    for (int64_t k = 0; k < n; ++k, box += 4) {
      if (box[2] <= box[3])
        continue;
      if (touches(box, at)) {
        found = (int32_t)k;
        break;
      }
    }
    hit[j] = found;
  }
}
