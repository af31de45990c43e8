/* functions that change the caller's variables through their addresses */
// argument: in input u8 n*m
// argument: x input f32 n*m
// argument: out output i32 n*m
// argument: lo output f32 n
// argument: hi output f32 n
// argument: t output i64 n
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=16 m=33
// sizes: n=3 m=0
// sizes: n=0 m=3
// applies: vectorise(L0,8)
// applies: vectorise(L2,8); mask(L2)
// declines: vectorise(L4,8): carries
#include <stdint.h>
static int32_t step(unsigned nibble, int32_t *predictor, int *index) {
  const int scale = 1 + (*index & 7);
  *predictor += nibble & 8 ? -(int32_t)(nibble & 7) * scale : (int32_t)(nibble & 7) * scale;
  *index += (nibble & 7) > 4 ? 2 : -1;
  if (*index < 0)
    *index = 0;
  return *predictor;
}
static void widen(float v, float *least, float *most) {
  if (v < *least)
    *least = v;
  if (v > *most)
    *most = v;
}
/* a place that is more than looked through */
static int64_t count_from(const int64_t *from, int64_t count) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += from[0] + i;
  return sum + (from != 0);
}
void out_places(const uint8_t *in, const float *x, int32_t *out, float *lo, float *hi, int64_t *t, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) {
    int32_t predictor = 0;
    int index = 0;
    for (int64_t k = 0; k < m; ++k) {
      out[i * m + k] = step(in[i * m + k] & 15, &predictor, &index);
      out[i * m + k] += step(in[i * m + k] >> 4, &predictor, &index);
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    float least = 1e30f;
    float most = -1e30f;
    for (int64_t k = 0; k < m; ++k)
      widen(x[i * m + k], &least, &most);
    lo[i] = least;
    hi[i] = most;
  }
  int64_t start = 3;
  for (int64_t i = 0; i < n; ++i) {
    t[i] = count_from(&start, m);
    start += 1;
  }
}
