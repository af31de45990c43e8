/* sums that would come round beyond the early end, or are compared as something else */
// argument: x input f32 n
// argument: k input i32 n
// argument: s input u8 (n+4)*16
// argument: t input u8 (n+4)*16
// argument: o output i64 n*4+4
// argument: n size
// sizes: n=5
// sizes: n=60
// sizes: n=1
// sizes: n=0
// declines: finish(W0): does not end early by one comparison
// declines: finish(W1): may come to its type's end
// declines: finish(W2): may come to its type's end
// declines: finish(W3): never negative
// declines: finish(W4): may come to its type's end
// declines: finish(W5): may come to its type's end
// applies: finish(W6); vectorise(W6,16)
#include <stdint.h>
#include <stdlib.h>
void gives_up_attacked(const float *x, const int32_t *k, const uint8_t *s, const uint8_t *t, int64_t *o, int64_t n) {
  for (int64_t i = 0; i < n * 4 + 4; ++i)
    o[i] = 0;
  uint32_t best = 3;
  int32_t below = -4;
  for (int64_t i = 0; i < n; ++i) { /* -3 is a large number without a sign */
    below += x[i] > -1e30f;
    if (below >= best)
      break;
  }
  o[0] = below < best ? below : -100;
  uint32_t u = 4294967290u;
  for (int64_t i = 0; i < n; ++i) {
    u += x[i] > -1e30f;
    if (u >= 4294967292u)
      break;
  }
  o[1] = u < 4294967292u ? (int64_t)u : -100;
  for (int64_t i = 0; i < n; ++i) {
    int32_t h = k[i] + 2147483500;
    for (int64_t j = 0; j < 16; ++j) {
      h += abs(s[i * 16 + j] - t[i * 16 + j]);
      if (h >= 2147483600)
        break;
    }
    o[4 + i * 4] = h < 2147483600 ? h : -100;
  }
  for (int64_t i = 0; i < n; ++i) {
    int32_t h = 0;
    for (int64_t j = 0; j < 16; ++j) {
      const unsigned v = (unsigned)s[i * 16 + j] - (unsigned)t[i * 16 + j];
      h += v < 0 ? -v : v;
      if (h >= 60)
        break;
    }
    o[5 + i * 4] = h < 60 ? h : -100;
  }
  for (int64_t i = 0; i < n; ++i) {
    int32_t c = 0;
    for (int64_t j = 0; j < 3; ++j) {
      for (int64_t a = 0; a < 10000000; ++a)
        c += s[i] != 255;
      if (c >= 5)
        break;
    }
    o[6 + i * 4] = c < 5 ? c : -1;
  }
  int32_t e = 0;
  for (int64_t j = 0; j < 3000000; ++j) { /* twice */
    if (j >= n * 16)
      continue;
    e += abs(s[j] - t[j]);
    e += abs(s[j] - t[j]);
    if (e >= 1000)
      break;
  }
  o[2] = e < 1000 ? e : -1;
  int64_t wide = 3;
  for (int64_t j = 0; j < n * 16; ++j) { /* with 64 bits there is room */
    wide += abs(s[j] - t[j]);
    if (wide > 100000)
      break;
  }
  o[3] = wide <= 100000 ? wide : -1;
}
