// argument: x input f32 n
// argument: k input i32 n
// argument: y inout f32 n alias
// argument: z output f32 n zero
// argument: out output f32 4 zero
// argument: n size
// sizes: n=37
// sizes: n=1
// declines: online(L0,L1,8): most is no floating scalar
// applies: online(L2,L3,8)
// declines: online(L4,L5,8): L4 needs t before L5 changes it
// declines: online(L6,L7,8): the range of L7 depends on m
// declines: online(L8,L9,8): cannot be computed again
// declines: online(L10,L11,8): may meet L10 in memory
// declines: online(L12,L13,8): carries a dependence
// declines: online(L15,L16,8): meets L15 in memory
// declines: online(L17,L18,8): may overlap
// declines: jam(L19,2); online(L20,L21,8): L20 stands in several places
// declines: recompute(L22,L23): y is no array that stands alone
// declines: recompute(L24,L25): z and y may overlap
#include <math.h>
#include <stdint.h>
void online_guarded(const float *x, const int32_t *k, float *y, float *z, float *out, int64_t n) {
  float s = 0.0f;
  float t = 0.5f;
  int32_t most = -100;
  for (int64_t i = 0; i < n; ++i)
    most = k[i] > most ? k[i] : most;
  for (int64_t i = 0; i < n; ++i)
    s += expf((float)(k[i] - most));

  float m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    static float kept = 0.0f;
    kept = x[i];
    s += expf(x[i] - m) + kept * 0.0f * expf(x[i] - m);
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i] * t);
  for (int64_t i = 0; i < n; ++i) {
    s += expf(x[i] - m);
    t += 1.0f;
  }

  m = 1.0f;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = (int64_t)(m * 0.0f); i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i] / (float)(k[i] / (k[i] + 200)));
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] / (float)(k[i] / (k[i] + 200)) - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, y[i]);
  z[0] = 2.0f;
  for (int64_t i = 0; i < n; ++i)
    s += expf(y[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  out[1] = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < 2; ++j)
      out[1] += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  y[0] = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    y[0] += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    s += expf(x[i] - m);
    y[i] = 1.0f;
  }

  for (int64_t r = 0; r < 3; ++r) {
    float top = -INFINITY;
    for (int64_t i = 0; i < n; ++i)
      top = fmaxf(top, x[i]);
    float sum = 0.0f;
    for (int64_t i = 0; i < n; ++i)
      sum += expf(x[i] - top);
    out[r] += sum;
  }

  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * 2.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = y[i] + 1.0f;

  for (int64_t i = 0; i < n; ++i)
    z[i] = y[i] * 2.0f;
  out[3] = 1.0f;
  for (int64_t i = 0; i < n; ++i)
    z[i] = z[i] + 1.0f;
  out[3] = s + t;
}
