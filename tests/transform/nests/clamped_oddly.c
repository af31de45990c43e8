// argument: x input f32 n
// argument: at input i64 n
// argument: y output f32 n
// argument: z output f32 n
// argument: u output f32 n
// argument: v output f32 n
// argument: n size
// argument: k size
// sizes: n=61 k=2
// sizes: n=1 k=0
// sizes: n=7 k=9
// sizes: n=2 k=1
// applies: clip(L0)
// applies: clip(L0); jam(L0,2)
// applies: clip(L1); vectorise(L1,8)
// applies: clip(L2)
// applies: clip(L3); clip(L4)
// applies: clip(L5)
// applies: clip(L9)
// declines: clip(L6): it holds no choice that its index decides
// declines: clip(L7): its condition is not linear in the loops around it
// declines: clip(L8): it does not count up by one
#include <stdint.h>
void clamped_oddly(const float *x, const int64_t *at, float *y, float *z, float *u, float *v, int64_t n, int64_t k) {
  for (int64_t i = 0; i < n; ++i) { /* ranges that hardly meet, or do not; a division that is guarded */
    const int64_t a = !(i < 3) ? i - 3 : 0, b = i > 5 && i < n - 1 ? i + 1 : n - 1;
    const int64_t c = i > k ? i / (i - k) : 1, d = c > n - 1 ? n - 1 : c;
    y[i] = x[a] + x[b] * 0.5f + x[d];
  }
  for (int32_t i = 0; i < n; ++i) { /* the sum of its bound does not fit into its index's type */
    const int32_t far = (int32_t)k - 2147483640;
    z[i] = i + far < (int32_t)n ? x[i] : 0.0f;
  }
  for (int64_t i = 0; i < n; ++i) { /* one choice in another, conditions of choices, steps upon steps */
    int64_t q = i - k;
    q = q < 0 ? -q : q;
    if (q >= n)
      q = q > 2 * n ? 0 : n - 1;
    const int64_t p = (i > 0 ? i - 1 : 0) > k ? i - 1 : 0;
    u[i] = x[q] + x[p > n - 1 ? n - 1 : p < 0 ? 0 : p];
  }
  for (int64_t i = 0; i < n; ++i) { /* what ends a window, and begins it */
    float sum = 0.0f;
    for (int64_t j = i > k ? i - k : 0; j < (i + 1 < n - k ? i + k + 1 : n); ++j)
      sum += j >= 2 ? x[j - 2] : x[j];
    v[i] = sum;
  }
  for (int64_t i = 0; i < n; ++i) { /* by a local that changes, though not in what is asked */
    int64_t step = at[i] & 1;
    if (x[i] > 0.0f)
      step += 1;
    v[i] += i > 4 ? x[i - 4] * (float)step : (float)step;
  }
  int64_t moving = 0;
  for (int64_t i = 0; i < n; ++i) { /* by one that does */
    moving += at[i] & 1;
    v[i] += moving > 3 ? x[i] : 1.0f;
  }
  for (int64_t i = 0; i < n; ++i)
    v[i] += i * i > k ? x[i] : 1.0f;
  for (uint32_t i = 0; i < (uint32_t)n; ++i)
    v[i] += i - 1u < 5u ? x[i - 1u] : 1.0f;
  for (int64_t i = 0; i < n; ++i)
    u[i] += i == 0 || i == n - 1 ? 1.0f : x[i - 1] * x[i + 1];
}
