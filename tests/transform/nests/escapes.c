/* loops that end where each lane says */
// argument: x input f32 n
// argument: z input f32 n*m
// argument: a output i32 n
// argument: b output f32 n
// argument: c output i32 n
// argument: d output i64 n
// argument: e output i64 n
// argument: n size
// argument: m size
// sizes: n=67 m=5
// sizes: n=1 m=1
// sizes: n=16 m=33
// sizes: n=3 m=0
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L1,16); mask(L1)
// applies: vectorise(L2,8); mask(L2)
// applies: vectorise(L3,4); mask(L3)
// declines: vectorise(L4,4): a guarded load
#include <stdint.h>
void escapes(const float *x, const float *z, int32_t *a, float *b, int32_t *c, int64_t *d, int64_t *e, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; ++i) { /* a while */
    float re = 0.0f, im = 0.0f;
    int32_t k = 0;
    while (k < 50 && re * re + im * im <= 4.0f) {
      const float next = re * re - im * im + x[i];
      im = 2.0f * re * im + 0.25f;
      re = next;
      k++;
    }
    a[i] = k;
  }
  for (int64_t i = 0; i < n; ++i) { /* Newton's iteration */
    const float v = x[i] * x[i] + 0.5f;
    float r = v;
    while (r * r - v > 1e-3f * v)
      r = 0.5f * (r + v / r);
    b[i] = r;
  }
  for (int64_t i = 0; i < n; ++i) { /* a counted loop that is left */
    float s = x[i];
    int32_t steps = 0;
    for (int64_t t = 0; t < 30; ++t) {
      if (s > 100.0f || s < -100.0f)
        break;
      s = s * 1.5f + 0.1f;
      steps = steps + 1;
    }
    c[i] = steps;
  }
  for (int64_t i = 0; i < n; ++i) { /* where the first one stands */
    int64_t at = m;
    for (int64_t j = 0; j < m; ++j)
      if (z[i * m + j] > 0.5f) {
        at = j;
        break;
      }
    d[i] = at;
  }
  for (int64_t i = 0; i < n; ++i) { /* the count itself is what is asked for: a lane may hold the row's end */
    int64_t j = 0;
    while (j < m) {
      if (z[i * m + j] > 0.5f)
        break;
      j += 1;
    }
    e[i] = j;
  }
}
