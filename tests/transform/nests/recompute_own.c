// argument: x input f32 n
// argument: k inout i32 n
// argument: y output f32 n zero
// argument: z output f32 n zero
// argument: n size
// sizes: n=37
// applies: recompute(L2,L3)
// declines: recompute(L4,L5): a is read elsewhere
// declines: recompute(L7,L8): b is read elsewhere
// declines: recompute(L12,L13): c is read elsewhere
// declines: recompute(L16,L17): d is read elsewhere
// declines: recompute(L18,L19): do not run over the same range
// declines: recompute(L20,L21): do not run over the same range
// Who else sees what stands in an array of the function's own.
#include <stdint.h>
void recompute_own(const float *x, int32_t *k, float *y, float *z, int64_t n) {
  float a[64];
  float b[64];
  float c[256];
  float d[64];
  float e[64];
  int64_t t = 0;
  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t i = 0; i < n; ++i)
      e[i] = x[i] + (float)r;
    for (int64_t i = 0; i < n; ++i)
      e[i] = e[i] * 0.5f;
    for (int64_t i = 0; i < n; ++i)
      y[i] += e[i];
  }

  a[0] = 5.0f;
  for (int64_t i = 0; i < n; ++i)
    a[i] = x[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] += a[i];
  z[0] = a[0];

  b[3] = 5.0f;
  for (int64_t r = 0; r < 2; ++r) {
    z[r] += b[3];
    for (int64_t i = 0; i < n; ++i)
      b[i] = x[i] * 2.0f;
    for (int64_t i = 0; i < n; ++i)
      y[i] += b[i];
  }

  for (int64_t i = 0; i < 256; ++i)
    c[i] = 1.0f;
  for (int64_t r = 0; r < 3; ++r) {
    int64_t at = 0;
    for (int64_t i = 0; i < n; ++i)
      c[at + i] = x[i];
    at = n;
    for (int64_t i = 0; i < n; ++i)
      c[at + i] = c[at + i] * 0.5f;
    for (int64_t i = 0; i < n; ++i)
      y[i] += c[at + i];
  }

  for (int64_t r = 0; r < 3; ++r) {
    for (int64_t i = 0; i < n; ++i) {
      z[i] += r > 0 ? d[i] : 0.0f;
      d[i] = x[i];
    }
    for (int64_t i = 0; i < n; ++i)
      d[i] = d[i] * 0.5f;
    for (int64_t i = 0; i < n; ++i)
      y[i] += d[i];
  }

  k[0] = 0;
  for (int64_t i = k[0]; i < n; ++i) {
    k[i] = 9;
    y[i] = x[i] * 2.0f;
  }
  for (int64_t i = k[0]; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = t; i < n; ++i) {
    y[i] = x[i] * 2.0f;
    t += x[i] > 1.0f ? 1 : 0;
  }
  for (int64_t i = t; i < n; ++i)
    y[i] = y[i] + 1.0f;
}
