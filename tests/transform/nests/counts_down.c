/* loops that count down run as loops that count up, from the far end; one whose index is looked at later, or that tests before it counts, stays */
// argument: x input f32 n*m
// argument: y inout f32 n*m
// argument: z output f32 n*m
// argument: e output i64 2
// argument: n size
// argument: m size
// sizes: n=37 m=5
// sizes: n=1 m=1
// sizes: n=8 m=9
// sizes: n=2 m=2
// independent: L0 L1 L4
// carried: L3
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L1,8); mask(L1)
// applies: vectorise(L4,8); jam(L4,2)
// declines: vectorise(L3,8): carries
#include <stdint.h>
void counts_down(const float *x, float *y, float *z, int64_t *e, int64_t n, int64_t m) {
  for (int64_t i = n - 1; i >= 0; --i)
    y[i] = y[i] + x[0];
  for (int64_t i = 0; i < n; ++i) { /* back through each row */
    z[i * m] = x[i * m];
    for (int j = 1; j < (int)m; ++j)
      z[i * m + j] = x[i * m + j] - 0.5f * z[i * m + j - 1];
    for (int j = (int)m - 2; j >= 0; j--)
      z[i * m + j] -= 0.25f * z[i * m + j + 1];
  }
  for (int64_t i = n; i > 0; i -= 1) { /* the whole of it, one row less each time */
    float sum = 0.0f;
    for (int64_t j = m - 1; j >= 0; --j)
      sum += y[(i - 1) * m + j];
    y[(i - 1) * m] = sum;
  }
  int64_t k = n * m - 1;
  while (k >= 0 && x[k] < 0.9f)
    --k;
  e[0] = k;
  int64_t i;
  for (i = n - 1; i >= 2; --i)
    z[i * m] += 1.0f;
  e[1] = i;
  for (uint64_t j = (uint64_t)n; j-- > 0;)
    y[j] *= 2.0f;
}
