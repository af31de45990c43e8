// argument: q input f32 n*d
// argument: k input f32 n*d
// argument: v input f32 n*d
// argument: y output f32 n*d
// argument: n size
// argument: d size
// sizes: n=37 d=5
// sizes: n=1 d=1
// sizes: n=8 d=16
// applies: recompute(L3,L5)
// applies: recompute(L3,L5); online(L1,L3,8)
// applies: recompute(L3,L5); online(L1,L3,8); vectorise(L3,4); vectorise(L6,4); math
// declines: online(L1,L3,8): L3 stores to weight what depends on largest
// declines: recompute(L1,L3): dot is another one afterwards
// The weights live in an array of the function's own, which each row fills anew.
#include <math.h>
#include <stdint.h>
void recompute_weights(const float *q, const float *k, const float *v, float *y, int64_t n, int64_t d) {
  const float scale = 1.0f / sqrtf((float)d);
  float weight[n];
  for (int64_t i = 0; i < n; ++i) {
    float largest = -INFINITY;
    for (int64_t j = 0; j < n; ++j) {
      float dot = 0.0f;
      for (int64_t c = 0; c < d; ++c)
        dot += q[i * d + c] * k[j * d + c];
      weight[j] = dot * scale;
      largest = fmaxf(largest, weight[j]);
    }
    float sum = 0.0f;
    for (int64_t j = 0; j < n; ++j) {
      weight[j] = expf(weight[j] - largest);
      sum += weight[j];
    }
    for (int64_t c = 0; c < d; ++c)
      y[i * d + c] = 0.0f;
    for (int64_t j = 0; j < n; ++j)
      for (int64_t c = 0; c < d; ++c)
        y[i * d + c] += weight[j] / sum * v[j * d + c];
  }
}
