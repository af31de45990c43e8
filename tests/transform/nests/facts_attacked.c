/* what a loop's index is known by holds for that loop alone, not for its copies; a part that is no comparison is a truth value still */
// argument: x input f32 n*m
// argument: k input i32 n*m small
// argument: y output i32 n*m
// argument: z output i32 n*m
// argument: f output f32 n
// argument: w output i32 n
// argument: n size
// argument: m size
// sizes: n=2 m=2048
// sizes: n=17 m=3
// sizes: n=1 m=1
// sizes: n=3 m=64
// applies: clip(L2); vectorise(L2,8)
// applies: clip(L3)
// applies: clip(L0); vectorise(L1,8)
// declines: vectorise(L4,4): a guarded load
#include <stdint.h>
void facts_attacked(const float *x, const int32_t *k, int32_t *y, int32_t *z, float *f, int32_t *w, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j)
      y[i * m + j] = i == n - 1 || x[i * m + m + j] < 0.5f;
  for (int64_t i = 0; i < n * m; ++i)
    z[i] = i > 0 && k[i];
  for (int64_t i = 0; i < n; ++i)
    f[i] = 2.0f * (i == 0 || x[i]);
  for (int64_t i = 0; i < n; ++i)
    w[i] = i >= 5 && x[(int64_t)(uint32_t)(i - 5) + 5] > 0.2f;
}
