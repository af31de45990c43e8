// argument: x input f32 n
// argument: w input f32 n
// argument: y output f32 n zero
// argument: z output f32 n zero
// argument: out output f32 16 zero
// argument: n size
// sizes: n=37
// sizes: n=1
// declines: online(L0,L1,8): uses m for more than the factor
// declines: online(L2,L3,8): two factors that depend on m
// declines: online(L4,L5,8): two factors that depend on m
// declines: online(L6,L7,8): L7 stores to y what depends on m
// declines: online(L8,L9,8): do not run over the same range
// declines: online(L10,L11,8): do not run over the same range
// declines: online(L12,L13,8): takes m from other values than those it is the maximum of
// declines: online(L14,L15,8): adds to s what has no factor exp
// declines: online(L16,L17,8): reads s before all is summed
// declines: online(L18,L19,8): uses m for more than the factor
// declines: online(L20,L21,8): L21 sums nothing with a factor
// declines: online(L22,L23,8): uses m for more than the factor
// declines: online(L24,L25,8): uses m for more than the factor
// declines: online(L26,L27,8): uses m for more than the factor
// declines: online(L28,L29,8): uses m for more than the factor
// declines: online(W0,L30,8): W0 is no counted loop
// declines: online(L31,L32,8): carries something else than one maximum
// declines: online(L33,L34,8): carries something else than one maximum
// declines: online(L35,L36,8): does not take every value as it is into m, in one place
// declines: online(L37,L38,8): m is used between them
// declines: online(L39,L40,8): L39 needs k as it was before
// declines: online(L41,L42,8): what stands between can end it all
// declines: online(L43,L44,8): together they would carry a dependence
// declines: online(L45,L46,8): what m is the maximum of is overwritten
// declines: online(L47,L48,8): what m is the maximum of is overwritten
// declines: online(L49,L50,8): of which m is the maximum, is not known afterwards
// declines: online(L51,L52,8): do not run over the same range
// declines: online(L53,L54,8): the sums in out may begin with something else than 0
// declines: online(L55,L56,8): the sums in out may begin with something else than 0
// declines: online(L57,L58,8): where L58 sums in out differs from one
// declines: online(L59,L60,8): reads out before all is summed
// declines: online(L61,L62,8): writes out in several places
// declines: online(L63,L64,8): what stands between meets L63 in memory
// declines: online(L0,L0,8): L0 does not follow L0
// declines: online(L98,L0,8): no loop L98
#include <math.h>
#include <stdint.h>
void online_declined(const float *x, const float *w, float *y, float *z, float *out, int64_t n) {
  float m = -INFINITY;
  float s = 0.0f;
  int64_t k = n / 2;

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m) * m;

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m) * expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    const float p = expf(x[i] - m);
    s += p * (p * w[i]);
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    y[i] = expf(x[i] - m);
    s += expf(x[i] - m);
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 1; i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n - 1; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += expf(w[i] - m); // nothing bounds it

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    s += expf(x[i] - m);
    s += w[i];
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    s += expf(x[i] - m);
    z[i] = s;
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m) + 1.0f;

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += x[i];

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s = s * 0.5f + expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s -= expf(m - x[i]);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    if (expf(x[i] - m) > 0.5f)
      s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    k += (int64_t)expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    if (x[i] > 2.9f)
      break;
    m = fmaxf(m, x[i]);
  }
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    m = fmaxf(m, x[i]);
    s += w[i];
  }
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fminf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    if (w[i] > 0.0f)
      m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  if (m < 0.0f)
    m = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[k]);
  k = 0;
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[k] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  if (s > 1e30f)
    return;
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    z[i] = y[n - 1 - i];
    m = fmaxf(m, x[i]);
  }
  for (int64_t i = 0; i < n; ++i) {
    y[i] = w[i];
    s += expf(x[i] - m);
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    m = fmaxf(m, y[i]);
    y[i] = y[i] * 0.5f;
  }
  for (int64_t i = 0; i < n; ++i)
    s += expf(y[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    const float v = y[i];
    y[i] = 0.0f;
    m = fmaxf(m, v);
  }
  for (int64_t i = 0; i < n; ++i)
    s += expf(y[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    float v = x[i];
    v += w[i];
    m = fmaxf(m, v);
  }
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] + w[i] - m);

  m = x[0] + 1.0f;
  for (int64_t i = 1; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    out[0] += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  out[1] = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    out[0] += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  out[1] = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    out[i % 4] += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  out[1] = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    out[1] += expf(x[i] - m) * (1.0f - out[1]);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  out[1] = 0.0f;
  for (int64_t i = 0; i < n; ++i) {
    out[1] += expf(x[i] - m);
    out[2] += expf(x[i] - m);
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, y[i]);
  y[0] = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    s += expf(y[i] - m);
  out[3] = s + (float)k;
}
