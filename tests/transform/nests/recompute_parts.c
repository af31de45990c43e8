// argument: x input f32 n
// argument: y output f32 n zero
// argument: z output f32 n zero
// argument: n size
// sizes: n=37
// sizes: n=1
// applies: recompute(L32,L33)
// applies: recompute(L34,L35)
// applies: recompute(L36,L37)
// declines: recompute(L1,L2): c is read elsewhere
// declines: recompute(L3,L4): overwrites y under a condition
// declines: recompute(L5,L6): L6 does not overwrite y
// declines: recompute(L7,L8): not read and written at the loops' own index only
// declines: recompute(L9,L10): not read and written at the loops' own index only
// declines: recompute(L11,L12): y is used between them
// declines: recompute(L13,L14): what stands between can end it all
// declines: recompute(L15,L16): t is another one afterwards
// declines: recompute(L17,L18): t is another one afterwards
// declines: recompute(L19,L20): z may be another one afterwards
// declines: recompute(L21,L22): z may be another one afterwards
// declines: recompute(L23,L24): cannot be computed again
// declines: recompute(L25,L26): do not run over the same range
// declines: recompute(L27,W0): W0 is no counted loop
// declines: recompute(L28,L29): carries a dependence
// declines: recompute(L30,L31): c is read elsewhere
#include <math.h>
#include <stdint.h>
void recompute_parts(const float *x, float *y, float *z, int64_t n) {
  float t = 1.0f;
  float c[64];
  for (int i = 0; i < 64; ++i)
    c[i] = 0.0f;

  for (int64_t i = 0; i < n; ++i)
    c[i] = x[i] * x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = c[i];

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > 0.0f)
      y[i] = y[i] + 1.0f;
  }

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i)
    z[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[n - 1 - i] + 1.0f;

  for (int64_t i = 0; i < n; ++i) {
    y[i] = x[i] * 2.0f;
    y[i] += 1.0f;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  z[0] = y[0];
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  if (x[0] > 9.0f)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * t;
  t = t + 1.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i) {
    t = t * 0.5f;
    y[i] = x[i] * t;
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    y[i] = z[i] * 2.0f;
  z[0] = 3.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    y[i] = z[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i) {
    z[n - 1 - i] = 4.0f;
    y[i] = y[i] + 1.0f;
  }

  for (int64_t i = 0; i < n; ++i)
    y[i] += x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  for (int64_t i = 1; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > 9.0f)
      break;
    y[i] = y[i] + 1.0f;
  }

  for (int64_t i = 0; i < n; ++i)
    y[0] = x[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i)
    y[0] = y[0] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    c[i] = c[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i)
    t += c[i];

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i) {
    const float h = x[i] + 1.0f;
    y[i] = h * h;
    t += y[i];
  }
  for (int64_t i = 0; i < n; ++i) {
    z[i] = y[i];
    y[i] *= t;
    z[i] = z[i] + y[i];
  }

  for (int64_t i = 0; i < n; ++i)
    y[i] = expf(y[i] - 1.0f);
  t = 2.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] /= t;
  z[0] = t;
}
