// argument: x input f32 n*n
// argument: w input f32 n
// argument: y output f32 n*n
// argument: z output f32 n
// argument: k output i32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// sizes: n=0
// independent: L0 L1 L2 L3 L4 L5 L6
// carried: L7
// applies: vectorise(L1,8)
// applies: tile(L2,8); split_accumulators(L3,2)
// applies: jam(L5,2)
// declines: jam(L7,2): carries
// A function with loops stands where it is called: its arrays are the entry's, its value is a variable, an end in the
// middle is a branch. One that remembers or hides what the entry has is called as before.
#include <stdint.h>
static float shift = 0.25f;
static const float half = 0.5f;
static void scaled(const float *from, float *to, int64_t count, float by) {
  for (int64_t j = 0; j < count; ++j)
    to[j] = from[j] * by + half;
}
static float dot(const float *a, const float *b, int count) {
  if (count == 0)
    return 0.0f;
  float sum = 0.0f;
  for (int i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}
static double halved(double v) { return v * 0.5; }
static float norm(const float *a, int64_t count) { return dot(a, a, (int)count) + 1.0f; }
static int32_t rounds(int32_t left) {
  int32_t steps = 0;
  while (left > 0) {
    left /= 2;
    ++steps;
  }
  return steps;
}
static int first_above(const float *a, int64_t count, float least) {
  for (int64_t i = 0; i < count; ++i)
    if (a[i] > least)
      return (int)i;
  return -1;
}
static float moved(float v) { return v + shift; }
static float remembered(float v) {
  static float last = 0.0f;
  const float out = last > 1e30f ? last : v;
  last = v;
  return out;
}
static int sign(float v) {
  if (v > 0.0f)
    return 1;
  else if (v < 0.0f)
    return -1;
  return 0;
}
void calls_spliced(const float *x, const float *w, float *y, float *z, int32_t *k, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    scaled(x + i * n, &y[i * n], n, w[i]);
  for (int64_t i = 0; i < n; ++i)
    z[i] = 1.0f / norm(x + i * n, n) + (float)halved(dot(&x[i * n], w, (int)n));
  for (int64_t i = 0; i < n; ++i)
    k[i] = rounds((int32_t)(i * 7)) + sign(w[i]);
  for (int64_t i = 0; i < n; ++i)
    k[i] += first_above(x, n, 1.0f + (float)i);
  const float half = 2.0f;
  for (int64_t i = 0; i < n; ++i)
    z[i] = moved(remembered(z[i])) * half;
}
