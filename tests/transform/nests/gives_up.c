/* searches that give a candidate up early, once it can only lose */
// argument: x input f32 n*m
// argument: q input f32 m
// argument: s input u8 n*m
// argument: t input u8 n*m
// argument: u input u8 (n+4)*16
// argument: a output i64 1
// argument: b output f32 1
// argument: c output i32 n
// argument: d output i64 3
// argument: e output f32 n
// argument: f output i32 6
// argument: n size
// argument: m size
// sizes: n=37 m=9
// sizes: n=1 m=1
// sizes: n=16 m=33
// sizes: n=3 m=0
// sizes: n=0 m=3
// applies: finish(W0); vectorise(W0,8)
// applies: finish(W0); vectorise(W0,16); mask(W0)
// applies: finish(W1); vectorise(W1,16)
// applies: finish(W1); vectorise(L1,8)
// applies: finish(W2); vectorise(L3,16)
// applies: finish(W3)
// declines: finish(W4): where W4 ended is asked for after it
// declines: finish(W5): what follows W5 may tell how far it came
// declines: finish(W6): what is never negative
// declines: finish(W7): what follows W7 may tell
// declines: finish(W8): may lie outside its array
// declines: finish(W9): does not end early by one comparison
// declines: finish(W10): what follows W10 may tell
#include <stdint.h>
#include <stdlib.h>
void gives_up(const float *x, const float *q, const uint8_t *s, const uint8_t *t, const uint8_t *u, int64_t *a, float *b, int32_t *c, int64_t *d, float *e, int32_t *f, int64_t n, int64_t m) {
  int64_t at = -1;
  float nearest = 1e30f;
  for (int64_t i = 0; i < n; ++i) { /* the nearest */
    float sum = 0.0f;
    for (int64_t k = 0; k < m; ++k) {
      const float v = x[i * m + k] - q[k];
      sum += v * v;
      if (sum >= nearest)
        break;
    }
    if (sum < nearest) {
      nearest = sum;
      at = i;
    }
  }
  a[0] = at;
  b[0] = nearest;
  for (int64_t i = 0; i < n; ++i) { /* bytes that differ, up to a limit */
    int32_t bad = 0;
    for (int64_t k = 0; k < m; ++k)
      if (s[i * m + k] != t[i * m + k])
        if (++bad > 4)
          break;
    c[i] = bad <= 4 ? bad : -1;
  }
  int32_t least = 1 << 30;
  d[0] = -1;
  for (int64_t i = 0; i < n; ++i) { /* absolute differences, row by row */
    int32_t sad = 0;
    for (int64_t y = 0; y < 4; ++y) {
      for (int64_t k = 0; k < 16; ++k)
        sad += abs(u[(i + y) * 16 + k] - u[y * 16 + k]);
      if (sad >= least)
        break;
    }
    if (sad < least) {
      least = sad;
      d[0] = i;
    }
  }
  for (int64_t i = 0; i < n; ++i) { /* another branch takes what lost */
    float sum = 0.0f;
    int64_t k = 0;
    while (k < m) {
      const float v = x[i * m + k] < 0.0f ? -x[i * m + k] : x[i * m + k];
      sum += v * v + 0.5f;
      if (2.0f <= sum)
        break;
      ++k;
    }
    if (sum < 2.0f && sum < 100.0f)
      e[i] = sum;
    else
      e[i] = -1.0f;
  }
  int64_t i = 0;
  int32_t odd = 0;
  for (; i < m; ++i) { /* where it ended */
    odd += q[i] > 0.0f;
    if (odd >= 2)
      break;
  }
  f[0] = odd < 2 ? odd : (int32_t)i;
  odd = 0;
  int32_t even = 0;
  for (int64_t k = 0; k < m; ++k) { /* the sum */
    even += q[k] > 0.0f;
    if (even >= 3)
      break;
  }
  f[1] = even;
  float drift = 0.0f;
  for (int64_t k = 0; k < m; ++k) { /* may come down again */
    drift += q[k];
    if (drift >= 1.0f)
      break;
  }
  f[2] = drift < 1.0f ? 1 : 0;
  int32_t most = 3, seen = 0;
  for (int64_t k = 0; k < m; ++k) { /* another bound by then */
    seen += q[k] > -1.0f;
    if (seen >= most)
      break;
  }
  most += 1;
  f[3] = seen < most ? seen : -1;
  float run = 0.0f;
  for (int64_t k = 0; k < m; ++k) { /* what lies there was never asked for */
    run += 1.0f;
    if (run >= (float)m)
      break;
    run += q[k + 1] * q[k + 1] * 0.0f;
  }
  f[4] = run < (float)m ? 1 : 0;
  int32_t both = 0;
  for (int64_t k = 0; k < m; ++k) { /* two ends */
    both += q[k] > 0.0f;
    if (both >= 4)
      break;
    if (q[k] > 1e20f)
      break;
  }
  f[5] = both < 4 ? 1 : 0;
  int32_t same = 0;
  for (int64_t k = 0; k < m; ++k) { /* one that lost only just is taken, too */
    same += q[k] > 0.0f;
    if (same >= 2)
      break;
  }
  d[1] = same <= 2 ? 1 : 0;
  d[2] = odd;
}
