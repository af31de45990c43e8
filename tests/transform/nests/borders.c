// argument: x input f32 c*t
// argument: w input f32 o*c*taps
// argument: y output f32 o*t
// argument: z output f32 t
// argument: c size
// argument: o size
// argument: t size
// argument: taps size
// argument: pad size
// sizes: c=3 o=5 t=61 taps=3 pad=1
// sizes: c=2 o=3 t=40 taps=7 pad=3
// sizes: c=1 o=1 t=2 taps=5 pad=2
// sizes: c=1 o=1 t=1 taps=1 pad=1
// independent: L0 L1 L4
// applies: peel(L1,B0)
// applies: peel(L1,B0); vectorise(L1,16); jam(L0,2)
// applies: peel(L1,B0); unroll(L3,3); jam(L1h,2)
// applies: peel(L4,B1); hint(L5,8,1)
// applies: peel(L1,B0); tile(L1,8); interchange(L2,L3)
// declines: split_accumulators(L5,2); peel(L4,B1): stands in several places
// declines: peel(L0,B0): its condition does not compare the loop's index once
// declines: peel(L3,B0): stands right inside it: split_index_set
// declines: peel(L1,B1): no branch B1 in loops inside it
// declines: peel(L6,B2): its condition is more than comparisons
// declines: peel(L8,B3): are not the same in all iterations
#include <stdint.h>
void borders(const float *x, const float *w, float *y, float *z, int64_t c, int64_t o, int64_t t, int64_t taps,
             int64_t pad) {
  for (int64_t f = 0; f < o; ++f)
    for (int64_t i = 0; i < t; ++i) {
      float sum = 0.5f;
      for (int64_t d = 0; d < c; ++d)
        for (int64_t k = 0; k < taps; ++k) {
          const int64_t at = i + k - pad;
          if (at >= 0 && at < t)
            sum += x[d * t + at] * w[(f * c + d) * taps + k];
        }
      y[f * t + i] = sum;
    }
  for (int64_t i = 0; i < t; ++i) { /* against its direction, by twos */
    float sum = 0.0f;
    for (int64_t k = 0; k < taps; k += 2)
      if (i + 1 > 2 * k && t > i + pad)
        sum += x[i - 2 * k + 0];
      else
        sum -= 1.0f;
    z[i] = sum;
  }
  for (int64_t i = 0; i < t; ++i)
    for (int64_t k = 0; k < taps; ++k)
      if (i % 3 == k && i * k >= 0)
        z[i] += 1.0f;
  for (int64_t i = 0; i < t; ++i)
    for (int64_t k = 0; k < i; ++k)
      if (i - k > 2)
        z[i] += 0.25f;
}
