// argument: x input f32 n
// argument: y output f32 n
// argument: z output f32 n
// argument: u output f32 n
// argument: v output f32 n
// argument: n size
// argument: k size
// sizes: n=61 k=2
// sizes: n=1 k=0
// sizes: n=7 k=5
// applies: clip(L0)
// applies: clip(L1)
// applies: peel(L2,B0)
// applies: clip(L4)
// applies: clip(L5)
// applies: jam(L10,2); prefetch(L10r,2)
// declines: clip(L7): it calls a function that may change what its borders are
// declines: clip(L8): its end is unsigned
// declines: clip(L9): it holds no choice that its index decides
#include <stdint.h>
static int64_t reached = 3;
static float next(float a) {
  reached = reached < 1000 ? reached + 1 : 3;
  if (a > 100.0f)
    return next(a * 0.5f);
  return a;
}
void clamped_types(const float *x, float *y, float *z, float *u, float *v, int64_t n, int64_t k) {
  for (int32_t i = 0; i < n; ++i) { /* a local that is wider than what it is given */
    const int64_t q = i > 0 ? i - 1 : 0;
    y[i] = x[q] + (float)(q * 100000 * 100000);
  }
  for (int32_t i = 0; i < n; ++i) { /* one that is not signed as it */
    const int32_t up = i > 4 ? i - 5 : 0;
    z[i] = (float)(up + 1u);
  }
  for (int32_t i = 0; i < n; ++i) { /* the same behind a guard */
    float s = 0.0f;
    for (int32_t d = 0; d < 3; ++d) {
      const int64_t q = i + d - 1;
      if (q >= 0 && q < n)
        s += x[q] + (float)(q * 100000 * 100000);
    }
    u[i] = s;
  }
  for (int64_t i = 0; i < n; ++i) { /* bounds that do not fit into 32 bits, of numbers that do */
    const int32_t a = (int32_t)k + 2147483000, b = (int32_t)k - 2147483000, c = 5;
    v[i] = i + a > b + c ? (i - b > c ? x[i] : 7.0f) : (float)i;
  }
  for (int64_t i = 0; i < n; ++i)
    for (int32_t d = 0; d < (int32_t)k; ++d)
      v[i] += d * 1500000000L + i < n + 1500000000L ? x[i] : 0.5f;
  reached = 3;
  for (int64_t i = 0; i < n; ++i)
    v[i] += (i > reached ? x[i] : 0.5f) + next(x[i]);
  for (int64_t i = -3; i < (uint64_t)n; ++i)
    v[i < 0 ? 0 : i] += i > 2 ? x[i - 2] : 1.0f;
  for (int64_t i = 0; i < n; ++i) { /* more steps than are read as choices */
    int64_t q = i - k;
    q = q < 0 ? -q : q;
    q = q < 1 ? -q : q;
    q = q < 2 ? -q : q;
    q = q < 3 ? -q : q;
    if (q < 0)
      q = 0;
    if (q >= n)
      q = n - 1;
    v[i] += x[q];
  }
  for (int64_t i = 0; i < n; ++i) { /* a step through another type, which the variable's ends */
    int64_t m = k;
    if (m > 1)
      m = 1.7 + m * 0.1f;
    const int64_t q = i >= m ? i - m : 0;
    z[i] += x[q];
  }
}
