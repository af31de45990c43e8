// argument: x input i32 n
// argument: w input f32 n
// argument: y output f32 n
// argument: z output f32 n
// argument: n size
// sizes: n=21
// sizes: n=1
// sizes: n=0
// independent: L0 L4
// carried: L2 L3
// applies: jam(L0,2)
// applies: tile(L0,8); unroll(L0,3)
// applies: vectorise(L0,8)
// applies: vectorise(L4,8)
// declines: jam(L2,2): holds 'count'
// declines: vectorise(L2,8): holds 'count'
// declines: jam(L3,2): calls remembered
#include <math.h>
#include <stdint.h>
#include <string.h>
static int64_t count = 0;
static inline float widened(uint16_t bits) {
  const uint32_t whole = (uint32_t)bits << 16;
  float v;
  memcpy(&v, &whole, sizeof v);
  return v;
}
static float limited(float v, float most) {
  for (int i = 0; i < 3; ++i)
    if (fabsf(v) > most)
      v *= 0.5f;
  return v < -1.0f ? -1.0f : v;
}
static float both(uint16_t bits, float v) { return limited(v, 2.0f) + 0.0f * (float)(widened(bits) > 1.0f); }
static float counted(float v) { return v + (float)(count++ < 0); }
static float remembered(float v) {
  static float last = 0.0f;
  const float out = last > 1e30f ? last : v;
  last = v;
  return out;
}
static float peeked(const float *v) { return *v; }
void helper_pure(const int32_t *x, const float *w, float *y, float *z, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = both((uint16_t)x[i], w[i]) + (widened((uint16_t)x[i]) > 0.0f ? 1.0f : 2.0f);
  for (int64_t i = 0; i < n; ++i)
    z[i] = counted(w[i]);
  for (int64_t i = 0; i < n; ++i)
    z[i] += remembered(w[i]);
  for (int64_t i = 0; i < n; ++i)
    z[i] += peeked(w + i);
}
