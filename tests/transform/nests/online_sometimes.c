// argument: x input f32 n
// argument: w input f64 n
// argument: k inout i32 n
// argument: y output f32 n zero
// argument: n size
// sizes: n=37
// sizes: n=1
// declines: online(L0,L1,8): sums under a condition
// declines: online(L2,L3,8): uses m for more than the factor
// declines: online(L4,L5,8): sums under a condition
// declines: online(L7,L8,8): sums under a condition
// declines: online(L9,L10,8): stores to y what depends on m
// declines: online(L11,L13,8): sums under a condition
// declines: online(L15,L16,8): meets L15 in memory
// declines: online(L17,L18,8): does not take every value as it is into d
// declines: online(L19,L20,8): y does not stand alone
// Where all of x is -inf each term is NaN, but there may be none in the last block; and what else may not be seen.
#include <math.h>
#include <stdint.h>
void online_sometimes(const float *x, const double *w, int32_t *k, float *y, int64_t n) {
  const float *q = n > 3 ? y : x;
  float m = -INFINITY;
  float s = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    if (i < 10)
      s += expf(x[i] - m);

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    s += i < 10 ? expf(x[i] - m) : 0.0f;

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    float part = 0.0f;
    for (int64_t j = 0; j < 20 - i; ++j)
      part += expf(x[i] - m);
    s += part;
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    float part = 0.0f;
    if (k[i] > 50)
      part = expf(x[i] - m);
    s += part;
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i) {
    s += expf(x[i] - m);
    y[i] = 0.0f * expf(x[i] - m);
  }

  m = -INFINITY;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t j = 0; j < 1; ++j)
    y[j] = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < 1; ++j)
      if (k[i] > 50)
        y[j] += expf(x[i] - m);

  m = -INFINITY;
  k[0] = 0;
  for (int64_t i = k[0]; i < n; ++i) {
    m = fmaxf(m, x[i]);
    k[i] = 9;
  }
  for (int64_t i = k[0]; i < n; ++i)
    s += expf(x[i] - m);

  double d = -INFINITY;
  double t = 0.0;
  for (int64_t i = 0; i < n; ++i)
    d = fmaxf(d, w[i]);
  for (int64_t i = 0; i < n; ++i)
    t += exp(w[i] - d);

  m = -INFINITY;
  y[0] = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    m = fmaxf(m, x[i]);
  for (int64_t i = 0; i < n; ++i)
    y[0] += expf(x[i] - m) * (1.0f + q[0]);
  y[0] += s + (float)t;
}
