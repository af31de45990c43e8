/* functions that end inside their loops, spliced where they are called */
// argument: s input u8 n*m
// argument: q input u8 m
// argument: x input f32 n*m
// argument: a output i32 n
// argument: b output i32 n
// argument: c output f32 n
// argument: d output i32 n
// argument: e output i32 n
// argument: f output f32 n*m
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=16 m=33
// sizes: n=5 m=1
// sizes: n=3 m=0
// sizes: n=0 m=3
// applies: finish(W0); vectorise(L0,8)
// applies: finish(W0); vectorise(W0,8)
#include <stdint.h>
static int matches(const uint8_t *s, const uint8_t *q, int64_t n, int allowed) {
  int bad = 0;
  while (n--) {
    if (*s++ != *q++)
      if (++bad > allowed)
        return 0;
  }
  return 1;
}
/* what comes after is not there before */
static int first_above(const float *x, int64_t count, float least) {
  float largest = -1.0f;
  int at = -1;
  for (int64_t i = 0; i < count; ++i) {
    if (x[i] > least)
      return (int)i;
    if (x[i] > largest) {
      largest = x[i];
      at = (int)i;
    }
  }
  return -2 - at;
}
/* from within two loops, and twice */
static float close_pair(const float *x, int64_t count, float near) {
  for (int64_t i = 0; i < count; ++i) {
    if (x[i] > 90.0f)
      return x[i];
    for (int64_t j = 0; j < i; ++j) {
      const float d = x[i] - x[j];
      if (d * d < near)
        return x[i] + x[j];
    }
  }
  return near;
}
/* no other end */
static int rounds(int left) {
  int steps = 0;
  for (;;) {
    if (left <= 0)
      return steps;
    left /= 2;
    ++steps;
  }
}
/* a default that the loop changes; continues */
static int sum_to_zero(const uint8_t *s, int64_t count) {
  int sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    if (s[i] & 1)
      continue;
    if (s[i] == 0)
      return sum;
    sum += s[i];
  }
  return sum;
}
/* no value */
static void halve_until(const float *from, float *to, int64_t count, float end) {
  for (int64_t i = 0; i < count; ++i) {
    if (from[i] > end)
      return;
    to[i] = from[i] * 0.5f;
  }
  if (count > 0)
    to[0] += 1.0f;
}
void returns_inside(const uint8_t *s, const uint8_t *q, const float *x, int32_t *a, int32_t *b, float *c, int32_t *d, int32_t *e, float *f, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i)
    a[i] = matches(s + i * m, q, m, 3) ? (int32_t)i : -1;
  for (int64_t i = 0; i < n; ++i)
    b[i] = first_above(x + i * m, m, 50.0f);
  for (int64_t i = 0; i < n; ++i)
    c[i] = close_pair(x + i * m, m, 0.01f);
  for (int64_t i = 0; i < n; ++i)
    d[i] = rounds((int)(i * 3));
  for (int64_t i = 0; i < n; ++i)
    e[i] = sum_to_zero(s + i * m, m);
  for (int64_t i = 0; i < n * m; ++i)
    f[i] = 2.0f;
  for (int64_t i = 0; i < n; ++i)
    halve_until(x + i * m, f + i * m, m, 70.0f);
}
